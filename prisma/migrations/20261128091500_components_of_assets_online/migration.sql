-- online
-- Components that left or reached an asset, for its tree at an instant (docs/units.md). A subtree that moves changes only the asset of the
-- components below its root, and not the time of their last change. The first index also has components whose rows were purged.
CREATE INDEX CONCURRENTLY "Change_component_left_idx" ON "Change"("tenantId", ("before"->>'assetId')) WHERE "recordType" = 'Component' AND ("before"->>'assetId') IS NOT NULL;
CREATE INDEX CONCURRENTLY "Change_component_reached_idx" ON "Change"("tenantId", ("after"->>'assetId')) WHERE "recordType" = 'Component' AND "kind" = 'updated' AND ("after"->>'assetId') IS NOT NULL;
