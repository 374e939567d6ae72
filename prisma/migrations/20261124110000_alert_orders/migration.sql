-- AlterTable
ALTER TABLE "NotificationFeedback" ADD COLUMN     "verdict" TEXT;

-- AlterTable
ALTER TABLE "TriggerCondition" ADD COLUMN     "minimumDuration" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "alertId" TEXT,
ADD COLUMN     "alertOutcome" TEXT;
