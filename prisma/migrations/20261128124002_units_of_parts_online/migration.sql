-- online
-- The pieces that StockSerial has. Their periods begin with the last movement, as far as the books tell it without reading all movements.
-- repeat
INSERT INTO "Unit" ("tenantId", "partId", "serialNumber", "site", "batchNumber", "expiryDate", "movementId", "movedAt")
SELECT s."tenantId", s."partId", s."serialNumber", s."site", s."batchNumber", s."expiryDate", s."movementId", s."movedAt"
FROM "StockSerial" s
WHERE NOT EXISTS (SELECT FROM "Unit" u WHERE u."tenantId" = s."tenantId" AND u."partId" = s."partId" AND u."serialNumber" = s."serialNumber")
LIMIT 20000
ON CONFLICT DO NOTHING;
