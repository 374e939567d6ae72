// Reliability report of 10,000 assets: over 3 years, of a month, of a type and of one asset. Compared with one hand-written statement for
// the same figures.
import pg from "pg";

const assets = 10_000;
const perAsset = 30;
const day = 86_400_000;
const to = new Date(Math.floor(Date.now() / day) * day);
const from = new Date(to.getTime() - 3 * 365 * day);

/** 30 downtimes per asset within 3 years; 6 in 10 are failures with a repair. One asset in ten was out of service for a while. */
async function generate(client, tenantId) {
  await client.query(
    `insert into "Asset" ("tenantId", id, name, type, site, "createdAt") select $1, 'a' || n, 'Asset ' || n, 'type ' || n % 20, 'site ' || n % 10, $2::timestamptz - interval '1 year' from generate_series(1, $3::int) n`,
    [tenantId, from, assets],
  );
  await client.query(
    `insert into "WorkOrder" ("tenantId", id, "assetId", "procedureId", origin, title, status, priority, "scheduledDate", "startedAt", "completedAt", "endedAt", duration, "createdBy")
     select $1, 'w' || n || '-' || k, 'a' || n, null, 'manual', 'Repair', 'completed', 'high', t.at, t.at + interval '20 minutes', t.at + interval '90 minutes', t.at + interval '90 minutes', 70, 'bench'
     from generate_series(1, $3::int) n, generate_series(1, $4::int) k, lateral (select $2::timestamptz + interval '1095 days' * ((k - 1) + (n * 7919 + k * 104729) % 1000 / 1000.0) / $4::int as at) t where k % 10 < 6`,
    [tenantId, from, assets, perAsset],
  );
  await client.query(
    `insert into "Downtime" ("tenantId", id, "assetId", "startedAt", "endedAt", cause, planned, "workOrderId", source)
     select $1, 'd' || n || '-' || k, 'a' || n, t.at, t.at + interval '1 minute' * (30 + (n * 31 + k * 17) % 2000), c.cause, c.cause = 'planned', case when k % 10 < 6 then 'w' || n || '-' || k end, 'status'
     from generate_series(1, $3::int) n, generate_series(1, $4::int) k, lateral (select $2::timestamptz + interval '1095 days' * ((k - 1) + (n * 7919 + k * 104729) % 1000 / 1000.0) / $4::int as at) t,
       lateral (select case when k % 10 < 6 then 'failure' when k % 10 < 8 then 'planned' when k % 10 = 8 then 'other' else 'standby' end as cause) c`,
    [tenantId, from, assets, perAsset],
  );
  await client.query(
    `insert into "AssetStatusChange" ("tenantId", "assetId", "fromStatus", "toStatus", "changedAt")
     select $1, 'a' || n, s.was, s.becomes, $2::timestamptz + interval '1 day' * s.at from generate_series(10, $3::int, 10) n, (values ('operational', 'decommissioned', 200), ('decommissioned', 'operational', 260)) s(was, becomes, at) order by s.at`,
    [tenantId, from, assets],
  );
}

/** Sums over interval bounds. Downtime while required = (down or not required) − not required. */
const byHand = `with a as (
  select id, greatest("createdAt", $2::timestamptz) as since from "Asset" where "tenantId" = $1 and "deletedAt" is null and ($4::text is null or type = $4) and ($5::text is null or id = $5)
), d as materialized (
  select d."assetId", d.cause, d."startedAt" as s, coalesce(d."endedAt", 'infinity') as e, d."workOrderId", a.since from "Downtime" d join a on a.id = d."assetId"
  where d."tenantId" = $1 and d."deletedAt" is null and d."startedAt" < $3::timestamptz and coalesce(d."endedAt", 'infinity'::timestamptz) >= $2::timestamptz
), x as materialized (
  select "assetId", greatest(s, since) as s, least(e, $3::timestamptz) as e, cause in ('standby', 'no-demand', 'external') as idle from d
  union all
  select c."assetId", greatest(c."changedAt", a.since), least((select n."changedAt" from "AssetStatusChange" n where n."tenantId" = $1 and n."assetId" = c."assetId" and n.id > c.id order by n.id limit 1), $3::timestamptz), true
  from "AssetStatusChange" c join a on a.id = c."assetId" where c."tenantId" = $1 and c."toStatus" in ('pending', 'decommissioned')
), part as (
  select idle, greatest(e - greatest(s, coalesce(max(e) over (partition by "assetId" order by s rows between unbounded preceding and 1 preceding), s)), interval '0') as new, null::interval as out from x
  union all select idle, null, greatest(e - greatest(s, coalesce(max(e) over (partition by "assetId" order by s rows between unbounded preceding and 1 preceding), s)), interval '0') from x where idle
), t as (
  select sum(extract(epoch from new)) as any_time, sum(extract(epoch from out)) as out_time from part
), f as (
  select f.*, sum(begins) over (partition by "assetId" order by s) as block from (
    select d.*, case when s <= max(e) over (partition by "assetId" order by s rows between unbounded preceding and 1 preceding) then 0 else 1 end as begins from d where cause = 'failure'
  ) f
), b as (
  select f."assetId", f.block, min(s) as s, max(e) as e, sum(extract(epoch from w."completedAt" - w."startedAt")) as work
  from f left join "WorkOrder" w on w."tenantId" = $1 and w.id = f."workOrderId" group by 1, 2
), n as (
  select count(*) filter (where s >= $2::timestamptz) as failures, count(*) filter (where e < $3::timestamptz) as restored,
    sum(extract(epoch from e - s)) filter (where e < $3::timestamptz) as restoration, count(work) filter (where e < $3::timestamptz) as repaired, sum(work) filter (where e < $3::timestamptz) as repair from b
)
select n.*, (select sum(extract(epoch from $3::timestamptz - since)) from a) - coalesce(out_time, 0) as required, any_time - coalesce(out_time, 0) as down,
  (select sum(w.duration) from "WorkOrder" w where w."tenantId" = $1 and w."completedAt" >= $2::timestamptz and w."completedAt" < $3::timestamptz and w."assetId" in (select id from a)) as work from n, t`;

/** Disjoint parts of `x`, so that overlaps count once: (down or idle) − idle. */
const parts = `part as (
  select assetId, idle, false as is_out, greatest(s, coalesce(max(e) over w, s)) as s, e from x window w as (partition by assetId order by s rows between unbounded preceding and 1 preceding)
  union all select assetId, idle, true, greatest(s, coalesce(max(e) over w, s)), e from x where idle window w as (partition by assetId order by s rows between unbounded preceding and 1 preceding)
)`.replaceAll("assetId", '"assetId"');

/** The common table expressions before the sums. Each figure of the response appends its own. */
const begun = `${byHand.slice(0, byHand.indexOf("), part as ("))}), ${parts}`;
const failuresByHand = byHand.slice(byHand.indexOf(", f as ("), byHand.indexOf(", n as ("));

const byHandOf = {
  trend: `${begun}${failuresByHand}, m as (
    select g as begins, g + interval '1 month' as ends from generate_series(date_trunc('month', $2::timestamptz), $3::timestamptz - interval '1 ms', interval '1 month') g
  ), t as (
    select m.begins, sum(extract(epoch from least(p.e, m.ends) - greatest(p.s, m.begins))) filter (where not is_out) as any_time, sum(extract(epoch from least(p.e, m.ends) - greatest(p.s, m.begins))) filter (where is_out) as out_time
    from part p join m on m.begins = date_trunc('month', p.s) or m.begins > p.s and m.begins < p.e where p.e > p.s group by 1
  ), n as (select date_trunc('month', s) as begins, count(*) as failures from b where s >= $2::timestamptz group by 1)
  select begins, any_time, out_time, failures, (select sum(extract(epoch from least($3::timestamptz, m.ends) - greatest(since, m.begins))) from a where since < m.ends) as observed from m left join t using (begins) left join n using (begins) order by 1`,
  causes: `${begun}, c as (
    select cause, "assetId", greatest(s, since, coalesce(max(e) over w, s)) as s, least(e, $3::timestamptz) as e from d window w as (partition by "assetId", cause order by s rows between unbounded preceding and 1 preceding)
  ), o as (
    select n."assetId", n."changedAt" as s, (select m."changedAt" from "AssetStatusChange" m where m."tenantId" = $1 and m."assetId" = n."assetId" and m.id > n.id order by m.id limit 1) as e
    from "AssetStatusChange" n where n."tenantId" = $1 and n."toStatus" in ('pending', 'decommissioned')
  )
  select cause, sum(time) - sum(coalesce(out_time, 0)) as time from (
    select cause, c."assetId", sum(extract(epoch from greatest(c.e - c.s, interval '0'))) as time from c group by 1, 2
  ) t left join (
    select cause, c."assetId", sum(extract(epoch from least(c.e, o.e) - greatest(c.s, o.s))) as out_time from c join o on o."assetId" = c."assetId" and o.s < c.e and o.e > c.s where c.e > c.s group by 1, 2
  ) u using (cause, "assetId") group by 1 order by 2 desc`,
  "worst assets": `${begun}${failuresByHand}, t as (
    select "assetId", coalesce(sum(extract(epoch from greatest(e - s, interval '0'))) filter (where not is_out), 0) - coalesce(sum(extract(epoch from greatest(e - s, interval '0'))) filter (where is_out), 0) as down from part group by 1
  ), n as (select "assetId", count(*) filter (where s >= $2::timestamptz) as failures, sum(work) from b group by 1)
  select "assetId", down, failures from t join n using ("assetId") order by down desc, failures desc, "assetId" limit 10`,
  codes: `${begun}${failuresByHand.replace('sum(extract(epoch from w."completedAt" - w."startedAt")) as work', 'min(w."failureMode") as code')}
  select code, count(*) filter (where s >= $2::timestamptz), sum(extract(epoch from least(e, $3::timestamptz) - greatest(s, $2::timestamptz))) as time from b group by 1 order by 3 desc`,
  "evidence of availability": `with found as (
    select d.id, d."startedAt" from "Downtime" d join "Asset" a on a."tenantId" = $1 and a.id = d."assetId" and a."deletedAt" is null and ($4::text is null or a.type = $4) and ($5::text is null or a.id = $5)
    where d."tenantId" = $1 and d."deletedAt" is null and d."startedAt" < $3::timestamptz and coalesce(d."endedAt", 'infinity'::timestamptz) > $2::timestamptz
  ) select (select count(*) from found), array(select id from found order by "startedAt" desc, id desc limit 50)`,
  "evidence of failures": `with a as (select id from "Asset" where "tenantId" = $1 and "deletedAt" is null and ($4::text is null or type = $4) and ($5::text is null or id = $5)), d as (
    select d.id, d."assetId", d."startedAt" as s, coalesce(d."endedAt", 'infinity') as e from "Downtime" d join a on a.id = d."assetId"
    where d."tenantId" = $1 and d."deletedAt" is null and d.cause = 'failure' and d."startedAt" < $3::timestamptz and coalesce(d."endedAt", 'infinity'::timestamptz) >= $2::timestamptz
  ), f as (
    select f.*, max(s) filter (where begins) over (partition by "assetId" order by s) as block from (
      select d.*, coalesce(s > max(e) over (partition by "assetId" order by s rows between unbounded preceding and 1 preceding), true) as begins from d
    ) f
  ) select (select count(*) from f where block >= $2::timestamptz), array(select id from f where block >= $2::timestamptz order by s desc, id desc limit 50)`,
};

const fields = "assets failures requiredTime downtime mtbf mttr activeRepairTime availability inherentAvailability plannedWorkShare";

export default async function reliability({ database, newTenant, compare, databaseUrl }) {
  const tenant = await newTenant("reliability");
  // A separate connection, because the pool has a statement timeout.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await generate(client, "reliability");
    await database.query("vacuum analyze");
    return await measure(client, tenant, compare);
  } finally {
    await client.end();
  }
}

async function measure(client, tenant, compare) {
  const rows = {};
  const ask = (args, selection = fields) =>
    tenant.graphql(`{ reliability(${args}) { ${selection} } }`).then((text) => JSON.parse(text).data.reliability);
  const cases = [
    ["10,000 assets, 3 years", from, null, null],
    ["10,000 assets, a month", new Date(to.getTime() - 30 * day), null, null],
    ["a type of 500, 3 years", from, "type 7", null],
    ["an asset, 3 years", from, null, "a7"],
  ];
  for (const [title, since, type, assetId] of cases) {
    const args = [
      `from: "${since.toISOString()}", to: "${to.toISOString()}"`,
      type && `type: "${type}"`,
      assetId && `assetId: "${assetId}"`,
    ];
    const hand = () => client.query(byHand, ["reliability", since, to, type, assetId]).then(({ rows: [row] }) => row);
    const [service, own] = [await ask(args.filter(Boolean).join(", ")), await hand()];
    const differs = (a, b) => Math.abs(a - Number(b) / 3600) > 0.001;
    if (
      service.failures !== Number(own.failures) ||
      differs(service.requiredTime, own.required) ||
      differs(service.downtime, own.down) ||
      differs(service.mttr, own.restoration / own.restored) ||
      differs(service.activeRepairTime, own.repair / own.repaired)
    )
      throw new Error(`${title}: ${JSON.stringify({ service, own })}`);
    const subjects = { [title]: () => ask(args.filter(Boolean).join(", ")), [`${title}, by hand`]: hand };
    Object.assign(rows, await compare(subjects, assetId ? 30 : 9, 2));
  }
  const args = `from: "${from.toISOString()}", to: "${to.toISOString()}"`;
  for (const [name, selection] of [
    ["trend", "trend { month failures mtbf availability }"],
    ["causes", "causes { cause downtimes hours }"],
    ["worst assets", "worstAssets { assetId downtime failures }"],
    ["codes", "failureCodes { code failures hours }"],
    ["evidence of availability", "evidence(figure: AVAILABILITY) { downtimeCount downtimes { id } }"],
    ["evidence of failures", "evidence(figure: FAILURES) { downtimeCount downtimes { id } }"],
  ]) {
    const hand = () => client.query(byHandOf[name], ["reliability", from, to, null, null]);
    const title = `${name}, 10,000 assets, 3 years`;
    Object.assign(rows, await compare({ [title]: () => ask(args, selection), [`${title}, by hand`]: hand }, 5, 1));
  }
  return rows;
}
