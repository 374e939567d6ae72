/** A tenant with targets for hostile requests: a deep tree, a wide tree, and many wide assets. */
import type { Caller, Gateway } from "../world.js";

export const plantOf = { assets: 1_000, depth: 200, children: 3_000 };

export const ids = { asset: "a1", root: "deep-1", leaf: `deep-${plantOf.depth}`, wide: "wide", part: "p1" };

const statements = [
  `insert into "Asset" ("tenantId", id, name, type, site, description, "customFields")
   select $1, 'a' || n, 'Pump ' || n, 'pump', 'Site ' || n % 5, repeat('pump ', 20), jsonb_build_object('note', repeat('x', 2000)) from generate_series(1, ${plantOf.assets}) n`,
  `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type)
   select $1, 'deep-' || n, 'a1', case when n > 1 then 'deep-' || n - 1 end, 0, n - 1, repeat('1.', n), 'Level ' || n, 'motor' from generate_series(1, ${plantOf.depth}) n`,
  `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type) values ($1, 'wide', 'a2', 0, 0, '2.', 'Wide', 'motor')`,
  `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type, description)
   select $1, 'child-' || n, 'a2', 'wide', n - 1, 1, '2.' || to_hex(n) || '.', 'Child ' || n, 'motor', repeat('motor ', 10) from generate_series(1, ${plantOf.children}) n`,
  `insert into "Part" ("tenantId", id, "partNumber", name) select $1, 'p' || n, 'P-' || n, 'Bearing ' || n from generate_series(1, 500) n`,
];

/** Creates the tenant, with an admin's key. */
export async function hostilePlant(gateway: Gateway): Promise<Caller> {
  const tenant = await gateway.newTenant();
  for (const statement of statements) await gateway.database.query(statement, [tenant.tenantId]);
  if (gateway.database.kind === "postgresql") await gateway.database.query(`analyze "Asset", "Component", "Part"`);
  return tenant;
}

export const times = (count: number, text: (i: number) => string, between = " ") =>
  Array.from({ length: count }, (_, i) => text(i)).join(between);
