-- Pieces and batch that a transfer carries.
ALTER TABLE "StockTransfer" ADD COLUMN     "batchNumber" TEXT,
ADD COLUMN     "serialNumbers" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- What a write-off took of a batch, so that its rejection can bring it back.
ALTER TABLE "StockBatch" ADD COLUMN     "writtenOff" DECIMAL(18,4),
ADD COLUMN     "writtenOffBy" TEXT;
