-- Keys issued before read all sites, as do those that an older version of the service issues.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "readAll" BOOLEAN NOT NULL DEFAULT true;
