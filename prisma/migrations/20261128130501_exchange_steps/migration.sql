-- Steps of kind exchange, which exchange the unit of a position (docs/units.md, "Exchange as a step").
-- AlterTable
ALTER TABLE "WorkOrderStep" ADD COLUMN     "componentId" TEXT,
ADD COLUMN     "installedUnitId" TEXT,
ADD COLUMN     "removedUnitId" TEXT;

-- AddForeignKey
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_tenantId_removedUnitId_fkey" FOREIGN KEY ("tenantId", "removedUnitId") REFERENCES "Unit"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_tenantId_installedUnitId_fkey" FOREIGN KEY ("tenantId", "installedUnitId") REFERENCES "Unit"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- Earlier rows satisfy both, so that nothing is read for them here.
ALTER TABLE "WorkOrderStep" DROP CONSTRAINT "WorkOrderStep_kind_check";
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_kind_check" CHECK ("kind" IN ('task', 'measurement', 'isolate', 'verify', 'release', 'exchange')) NOT VALID;
-- Only an exchange has a position and units, and it has units only once it is done.
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_exchange_check" CHECK ("kind" = 'exchange' AND (num_nonnulls("removedUnitId", "installedUnitId") = 0 OR "componentId" IS NOT NULL AND "status" = 'completed')
  OR "kind" <> 'exchange' AND num_nonnulls("componentId", "removedUnitId", "installedUnitId") = 0) NOT VALID;
