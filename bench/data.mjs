// The dataset of all cases: one large tenant, and smaller neighbours for the growth runs. Rows are inserted as sets; the ledger's sums stay
// consistent.
import pg from "pg";

export const sizes = {
  full: { assets: 10_000, components: 10, parts: 5_000, sites: 4, movements: 50 },
  small: { assets: 1_000, components: 10, parts: 500, sites: 4, movements: 50 },
};

/**
 * `components` and `movements` are counts per asset and per stock level. One asset, `tree`, has a tree of 10,000 nodes and 20 chains of 6.
 */
export async function loadTenant(
  databaseUrl,
  tenant,
  { assets, components, parts, sites, movements },
  { tree = true, vacuum = true } = {},
) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const run = (sql, ...values) => client.query(sql, [tenant, ...values]);
  try {
    await client.query(`insert into "Tenant" ("tenantId") values ($1) on conflict do nothing`, [tenant]);
    await run(
      `insert into "Asset" ("tenantId", id, name, type, description, manufacturer, model, "serialNumber", site, area, criticality, "customFields", "createdAt")
       select $1, 'a' || lpad(n::text, 6, '0'), 'Asset ' || n, (array['pump','press','robot'])[1 + n % 3], 'Line ' || n % 40 || ' station ' || n, 'Maker ' || n % 9,
         'M-' || n % 77, 'SN-' || n, 'Site ' || n % 5, 'Area ' || n % 20, 'high', '{"power": "11 kW"}', timestamptz '2024-01-01' + n * interval '1 minute'
       from generate_series(1, $2::int) n`,
      assets,
    );
    await run(
      `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type, "createdAt")
       select $1, 'c' || lpad(a::text, 6, '0') || '-' || r, 'a' || lpad(a::text, 6, '0'), null, r, 0, 'r' || a || '-' || r || '.', 'Drive ' || r, 'drive', timestamptz '2024-01-01' + a * interval '1 minute'
       from generate_series(1, $2::int) a, generate_series(0, 1) r`,
      assets,
    );
    await run(
      `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type, "createdAt")
       select $1, r.id || '-' || n, r."assetId", r.id, n, 1, r.path || n || '.', 'Bearing ' || n, 'bearing', r."createdAt"
       from "Component" r, generate_series(0, $2::int / 2 - 2) n where r."tenantId" = $1 and r.level = 0`,
      components,
    );
    if (tree) {
      await run(`insert into "Asset" ("tenantId", id, name, type, site, area) values ($1, 'tree', 'Tree', 'press', 'Site 0', 'Area 0')`);
      await run(
        `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type) values ($1, 't', 'tree', null, 0, 0, 't.', 'Root', 'root')`,
      );
      for (const level of [1, 2, 3, 4])
        await run(
          `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type)
           select $1, p.id || n, 'tree', p.id, n, $2, p.path || n || '.', 'Node ' || n, 'node' from "Component" p, generate_series(0, 9) n
           where p."tenantId" = $1 and p."assetId" = 'tree' and p.level = $2 - 1`,
          level,
        );
      await run(
        `insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type)
         select $1, 'd', 'tree', null, 1, 0, 'd.', 'Chains', 'root' union all
         select $1, 'd' || n || '-' || l, 'tree', case l when 1 then 'd' else 'd' || n || '-' || l - 1 end, n, l, 'd.' || repeat(n || '.', l), 'Link ' || l, 'node'
         from generate_series(0, 19) n, generate_series(1, 6) l`,
      );
    }
    await run(
      `insert into "Part" ("tenantId", id, "partNumber", name, category, manufacturer, "unitCost", "minimumStock", "createdAt")
       select $1, 'p' || lpad(n::text, 6, '0'), 'PN-' || n, 'Seal ' || n, 'Category ' || n % 12, 'Maker ' || n % 9, 1 + n % 100 + 0.25, 5, timestamptz '2024-01-01' + n * interval '1 minute'
       from generate_series(1, $2::int) n`,
      parts,
    );
    // A receipt of 999, then alternating issues of 1 and receipts of 3. `movements` is even, so the last movement of a level is a receipt.
    await run(
      `insert into "StockLevel" ("tenantId", "partId", site, quantity, "previousQuantity", value, "previousValue", sequence, "valuedSequence", "unitCost", "createdAt")
       select $1, p.id, 'Site ' || s, 1000 + $3::int, 997 + $3::int, (1000 + $3::int) * p."unitCost", (997 + $3::int) * p."unitCost", $3::int, $3::int, p."unitCost", timestamptz '2024-01-01'
       from "Part" p, generate_series(0, $2::int - 1) s where p."tenantId" = $1`,
      sites,
      movements,
    );
    // Weekly steps, none of which coincides with the start of a report's period or age group.
    await run(
      `insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue", value, "valueBalance", "performedBy", "performedByName", "performedAt")
       select $1, 'm' || l."partId" || replace(l.site, ' ', '') || '-' || lpad(m::text, 4, '0'), l."partId", l.site, m, case q when -1 then 'issue' else 'receipt' end,
         q, b - q, b, 0, l."unitCost", q * l."unitCost", q * l."unitCost", b * l."unitCost", 'bench', 'bench',
         now() - interval '402 days' + m * interval '7 days' + (hashtext(l."partId") & 1023) * interval '1 second'
       from "StockLevel" l, generate_series(1, $2::int) m, lateral (select case when m = 1 then 999 when m % 2 = 0 then 3 else -1 end as q, 1000 + m - m % 2 * 2 as b) s
       where l."tenantId" = $1 order by l."partId", l.site, m`,
      movements,
    );
    if (vacuum) await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}
