// Each case sends the same query to the gateway and to its peers. `answer` normalizes each response, so that the responses can be compared
// first.
const pad = (n) => String(n).padStart(6, "0");

/** `assets` and `parts` are the row counts of the dataset. */
export function cases({ key, assets, parts }) {
  const headers = { authorization: `Bearer ${key}` };
  const graphql = (query, variables = () => undefined) => {
    return (i) => ({ method: "POST", path: "/graphql", headers, body: { query, variables: variables(i) } });
  };
  const rest = (path) => (i) => ({ path: path(i), headers });
  const limit = (path) => (i) => ({ path: path(i), headers });
  const limitWrite = (path, body) => (i) => ({ method: "POST", path: path(i), headers, body });
  const same = (value) => value;
  const data =
    (pick) =>
    ({ data }) =>
      pick(data);
  const nodes = (connection) => connection.nodes;
  const assetId = (i) => `a${pad(1 + ((i * 37) % (assets - 1)))}`;
  const partId = (i) => `p${pad(1 + ((i * 13) % (parts - 1)))}`;
  const rootId = (i) => `c${pad(1 + ((i * 7) % (assets - 1)))}-0`;
  const asset = { name: "New", type: "pump", site: "Site 1", area: "Area 1" };
  /** A written record without what differs from write to write. */
  const lasting = ({ id, adjustmentId, createdAt, updatedAt, performedAt, performedBy, previousBalance, newBalance, ...record }) => record;
  const withoutNulls = (value) => JSON.parse(JSON.stringify(value, (_, entry) => entry ?? undefined));
  /** Sorts the keys of every object: jsonb uses its own key order. */
  const sorted = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(sorted);
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((name) => [name, sorted(value[name])]),
    );
  };
  // Averages over time depend on the instant of the request, which differs between the two.
  const timeless = ({ turnover, parts, ...figures }) => ({
    ...figures,
    ...(parts && { parts: parts.map(({ averageStockValue, daysOnHand, ...part }) => part) }),
    ...(turnover && { turnover: [turnover.issuedValue, turnover.turnover] }),
  });
  const flatAssets = ({ items }) =>
    withoutNulls(items.map(({ site, areas }) => ({ site, areas: areas.map(({ name, assets }) => ({ name, assets })) })));
  const pg =
    (query, variables = () => undefined) =>
    (i) => ({ method: "POST", path: "/graphql", body: { query, variables: variables(i) } });

  return [
    {
      name: "nested, 550 objects",
      requests: {
        gateway: graphql(
          "{ assets(first: 50) { nodes { id name components(first: 20) { nodes { id name children(first: 20) { nodes { id name } } } } } } }",
        ),
        limit: limit(() => "/nested"),
        postgraphile:
          pg(`{ assets: allAssets(first: 50, orderBy: [CREATED_AT_ASC, ROW_ID_ASC], condition: { tenantId: "big", deletedAt: null }) { nodes { id: rowId name
          components: componentsByTenantIdAndAssetId(first: 20, condition: { level: 0, deletedAt: null }, orderBy: [POSITION_ASC, ROW_ID_ASC]) { nodes { id: rowId name
          children: componentsByTenantIdAndParentId(first: 20, condition: { deletedAt: null }, orderBy: [POSITION_ASC, ROW_ID_ASC]) { nodes { id: rowId name } } } } } } }`),
        naive: graphql(
          "{ assets(first: 50) { nodes { id name components(first: 20) { nodes { id name children(first: 20) { nodes { id name } } } } } } }",
        ),
      },
      answer: {
        ...Object.fromEntries(
          ["gateway", "postgraphile", "naive"].map((peer) => [
            peer,
            data(({ assets }) =>
              nodes(assets).map(({ id, name, components }) => ({
                id,
                name,
                components: nodes(components).map(({ id, name, children }) => ({ id, name, children: nodes(children) })),
              })),
            ),
          ]),
        ),
        limit: same,
      },
    },
    {
      name: "asset by id",
      requests: {
        gateway: graphql("query ($id: ID!) { asset(id: $id) { id name type site area status serialNumber createdAt } }", (i) => ({
          id: assetId(i),
        })),
        limit: limit((i) => `/byId/${assetId(i)}`),
        postgraphile: pg(
          `query ($id: String!) { asset: assetByTenantIdAndRowId(tenantId: "big", rowId: $id) { id: rowId name type site area status serialNumber createdAt } }`,
          (i) => ({ id: assetId(i) }),
        ),
        naive: graphql("query ($id: ID!) { asset(id: $id) { id name type site area status serialNumber createdAt } }", (i) => ({
          id: assetId(i),
        })),
      },
      answer: {
        gateway: data(({ asset }) => ({ ...asset, status: asset.status.toLowerCase() })),
        naive: data(({ asset }) => ({ ...asset, status: asset.status.toLowerCase() })),
        limit: same,
        postgraphile: data(({ asset }) => ({ ...asset, createdAt: new Date(asset.createdAt).toISOString() })),
      },
    },
    {
      name: "list of 100, 8 fields",
      requests: {
        gateway: graphql("{ assets(first: 100) { nodes { id name type site area status manufacturer serialNumber } } }"),
        limit: limit(() => "/list"),
        postgraphile: pg(
          `{ assets: allAssets(first: 100, orderBy: [CREATED_AT_ASC, ROW_ID_ASC], condition: { tenantId: "big", deletedAt: null }) { nodes { id: rowId name type site area status manufacturer serialNumber } } }`,
        ),
        naive: graphql("{ assets(first: 100) { nodes { id name type site area status manufacturer serialNumber } } }"),
      },
      answer: {
        ...Object.fromEntries(
          ["gateway", "postgraphile", "naive"].map((peer) => [
            peer,
            data(({ assets }) => nodes(assets).map((one) => ({ ...one, status: one.status.toLowerCase() }))),
          ]),
        ),
        limit: same,
      },
    },
    {
      name: "parts → levels → movements",
      requests: {
        gateway: graphql(
          "{ parts(first: 20) { nodes { id name stockLevels { site quantity movements(first: 5) { nodes { id quantity newBalance performedAt } } } } } }",
        ),
        limit: limit(() => "/parts"),
        postgraphile:
          pg(`{ parts: allParts(first: 20, orderBy: [CREATED_AT_ASC, ROW_ID_ASC], condition: { tenantId: "big" }) { nodes { id: rowId name
          stockLevels: stockLevelsByTenantIdAndPartId(condition: { deletedAt: null }, orderBy: [SITE_ASC]) { nodes { site quantity
          movements: stockMovementsByTenantIdAndPartIdAndSite(first: 5, orderBy: [PERFORMED_AT_ASC, ROW_ID_ASC]) { nodes { id: rowId quantity newBalance performedAt } } } } } } }`),
        naive: graphql(
          "{ parts(first: 20) { nodes { id name stockLevels { site quantity movements(first: 5) { nodes { id quantity newBalance performedAt } } } } } }",
        ),
      },
      answer: {
        ...Object.fromEntries(
          ["gateway", "postgraphile", "naive"].map((peer) => [
            peer,
            data(({ parts }) =>
              nodes(parts).map(({ id, name, stockLevels }) => ({
                id,
                name,
                stockLevels: (stockLevels.nodes ?? stockLevels).map(({ site, quantity, movements }) => ({
                  site,
                  quantity: Number(quantity),
                  movements: nodes(movements).map((one) => ({
                    id: one.id,
                    quantity: Number(one.quantity),
                    newBalance: Number(one.newBalance),
                    performedAt: new Date(one.performedAt).toISOString(),
                  })),
                })),
              })),
            ),
          ]),
        ),
        limit: same,
      },
    },
    {
      name: "GET /assets/{id}",
      requests: { gateway: rest((i) => `/assets/${assetId(i)}`), limit: limit((i) => `/restById/${assetId(i)}`) },
      answer: { gateway: same, limit: withoutNulls },
    },
    {
      name: "GET /assets?limit=100",
      requests: { gateway: rest(() => "/assets?limit=100"), limit: limit(() => "/restList") },
      answer: { gateway: flatAssets, limit: (items) => flatAssets({ items }) },
    },
    {
      name: "GET /assets, in the middle of 10,000",
      requests: { gateway: rest(() => `/assets?limit=100&offset=${assets / 2}`), limit: limit(() => `/restPage/${assets / 2}`) },
      answer: { gateway: flatAssets, limit: (items) => flatAssets({ items }) },
    },
    {
      name: "GET /assets?search=",
      requests: {
        gateway: rest((i) => `/assets?limit=100&search=${encodeURIComponent(`station ${assets - 1 - (i % (assets / 2))}`)}`),
        limit: limit((i) => `/search/${encodeURIComponent(`station ${assets - 1 - (i % (assets / 2))}`)}`),
      },
      answer: { gateway: flatAssets, limit: (items) => flatAssets({ items }) },
    },
    {
      name: "GET /inventory/{id}/history",
      requests: { gateway: rest((i) => `/inventory/${partId(i)}/history?limit=100`), limit: limit((i) => `/history/${partId(i)}`) },
      answer: { gateway: ({ pagination, ...rest }) => ({ ...rest, total: pagination.total }), limit: same },
    },
    {
      name: "tree of 10,000, GraphQL",
      requests: { gateway: graphql('{ component(id: "t") { descendants { id name type level parentId } } }'), limit: limit(() => "/tree") },
      answer: { gateway: data(({ component }) => component.descendants), limit: same },
    },
    {
      name: "tree of 10,000, REST",
      requests: { gateway: rest(() => "/components/t/descendants"), limit: limit(() => "/restTree") },
      answer: { gateway: same, limit: same },
    },
    // These requests take up to seconds. A single client sends them, and a round has at least three requests.
    ...["summary", "movements", "abc_analysis", "turnover", "aging"].map((type) => ({
      name: `report ${type}`,
      clients: 1,
      least: 3,
      parallel: true,
      requests: { gateway: rest(() => `/inventory/reports?reportType=${type}`), limit: limit(() => `/${type}`) },
      answer: {
        gateway: ({ reportType, generatedAt, startDate, endDate, asOf, ...figures }) => sorted(timeless(figures)),
        limit: (figures) => sorted(timeless(figures)),
      },
    })),
    ...["64 parts", "one part"].map((which) => {
      const id = (i) => (which === "one part" ? "p000001" : `p${pad(1 + (i % 64))}`);
      const body = { site: "Site 0", adjustmentType: "correction", quantity: 1, reason: "bench" };
      return {
        name: `stock adjustment, ${which}`,
        writes: true,
        requests: {
          gateway: (i) => ({ method: "POST", path: `/inventory/${id(i)}/adjustments`, headers, body }),
          limit: limitWrite((i) => `/adjust/${id(i)}`, body),
        },
        answer: { gateway: lasting, limit: lasting },
      };
    }),
    {
      name: "POST /assets",
      writes: true,
      requests: {
        gateway: () => ({ method: "POST", path: "/assets", headers, body: asset }),
        limit: limitWrite(() => "/createAsset", asset),
      },
      answer: { gateway: lasting, limit: lasting },
    },
    {
      name: "PUT /components/{id}",
      writes: true,
      requests: {
        gateway: (i) => ({ method: "PUT", path: `/components/${rootId(i)}`, headers, body: { name: "Renamed" } }),
        limit: limitWrite((i) => `/updateComponent/${rootId(i)}`, { name: "Renamed" }),
      },
      answer: { gateway: lasting, limit: lasting },
    },
  ];
}
