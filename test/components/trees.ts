/** Invariants of component trees. */
import type { Gateway } from "../world.js";

/**
 * Returns the tenant's rows that violate an invariant of the tree. Levels grow by one from parent to child in every row,
 * which rules out cycles. Deleted rows keep correct levels, paths and assets too, so that they can be restored.
 */
export const verifyTree = ({ database }: Gateway, tenantId: string) =>
  database.query<any>(
    `select * from (
       select c.id, array_remove(array[
         case when c.level <> coalesce(p.level + 1, 0) then 'level' end,
         case when not starts_with(c.path, coalesce(p.path, '')) or substr(c.path, length(coalesce(p.path, '')) + 1) !~ '^[0-9a-f]+[.]$' then 'path' end,
         case when count(*) over (partition by md5(c.path)) > 1 then 'path of two' end,
         case when p.id is not null and c."assetId" is distinct from p."assetId" then 'asset' end,
         case when c."deletedAt" is null and c.position <> row_number() over (
           partition by c."deletedAt" is null, c."parentId", case when p.id is null then c."assetId" end order by c.position, c.id) - 1 then 'position' end,
         case when c."deletedAt" is null and p."deletedAt" is not null then 'live below deleted' end,
         case when c."deletedAt" is null and a."deletedAt" is not null then 'live of a deleted asset' end
       ], null) as broken
       from "Component" c
       left join "Component" p on p."tenantId" = c."tenantId" and p.id = c."parentId"
       left join "Asset" a on a."tenantId" = c."tenantId" and a.id = c."assetId"
       where c."tenantId" = $1
     ) checked where broken <> '{}'`,
    [tenantId],
  );
