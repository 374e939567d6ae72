-- Since when the downtimes of an asset are recorded completely; figures of reliability begin there.
ALTER TABLE "Asset" ADD COLUMN "historyCompleteSince" TIMESTAMPTZ(3);
