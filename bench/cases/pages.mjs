// Page 1,000 against page 1 of a list of 100,000 assets, by cursor. Expected: ratio about 1.
export default async function pages({ database, newTenant, compare }) {
  const tenant = await newTenant("pages");
  await database.query(`insert into "Asset" ("tenantId", id, name, type, site, area)
    select 'pages', 'a' || lpad(n::text, 6, '0'), 'Asset ' || n, 'pump', 'Site ' || n % 5, 'Area ' || n % 50 from generate_series(1, 100000) n`);
  await database.query("vacuum analyze");
  const after = async (orderBy, page) => {
    const response = JSON.parse(
      await tenant.graphql(`query ($o: AssetOrder, $n: Int) { assets(first: 1, offset: $n, orderBy: $o) { pageInfo { endCursor } } }`, {
        o: orderBy,
        n: page * 100 - 101,
      }),
    );
    return response.data.assets.pageInfo.endCursor;
  };
  const rows = {};
  for (const field of ["CREATED_AT", "NAME", "LOCATION"]) {
    const orderBy = { field, direction: "ASC" };
    const page = (cursor) => () =>
      tenant.graphql(
        `query ($o: AssetOrder, $c: String) { assets(first: 100, after: $c, orderBy: $o) { nodes { id name site area } pageInfo { endCursor } } }`,
        { o: orderBy, c: cursor },
      );
    const cursor = await after(orderBy, 1000);
    const measured = await compare({ "page 1000": page(cursor), "page 1": page(undefined) });
    for (const [name, figures] of Object.entries(measured)) rows[`${field} ${name}`] = figures;
  }
  const walk = JSON.parse(await tenant.get("/assets?limit=1000"));
  let token = walk.nextToken;
  for (let i = 0; i < 98; i++) token = JSON.parse(await tenant.get(`/assets?limit=1000&nextToken=${token}`)).nextToken;
  const rest = await compare({
    "REST last page": () => tenant.get(`/assets?limit=100&nextToken=${token}`),
    "REST first page": () => tenant.get("/assets?limit=100"),
  });
  return { ...rows, ...rest };
}
