-- AlterTable
ALTER TABLE "Part" ADD COLUMN     "inspectionHours" INTEGER,
ADD COLUMN     "inspectionMonths" INTEGER,
ADD COLUMN     "lifeHours" INTEGER,
ADD COLUMN     "lifeInstallations" INTEGER,
ADD COLUMN     "lifeMonths" INTEGER;

ALTER TABLE "Part" ADD CONSTRAINT "Part_lives_check" CHECK (least("lifeHours", "lifeMonths", "lifeInstallations", "inspectionHours", "inspectionMonths") > 0);
