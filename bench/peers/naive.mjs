// The implementation that tutorials suggest: Apollo's defaults, Prisma's findMany per level, DataLoader for references. Same queries.
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import DataLoader from "dataloader";
import { openPostgresql } from "../../dist/database/connection/postgresql.js";
import { PrismaClient } from "../../dist/database/generated/client.js";

const database = openPostgresql({ url: process.env.DATABASE_URL, connections: 10, statementTimeout: 30_000 });
const prisma = new PrismaClient({ adapter: database.adapter });
const tenantId = "big";

const typeDefs = `
  type Query { asset(id: ID!): Asset assets(first: Int!): Assets! parts(first: Int!): Parts! }
  type Assets { nodes: [Asset!]! } type Components { nodes: [Component!]! } type Parts { nodes: [Part!]! } type Movements { nodes: [Movement!]! }
  type Asset { id: ID! name: String! type: String! site: String! area: String! status: String! manufacturer: String serialNumber: String createdAt: String! components(first: Int!): Components! }
  type Component { id: ID! name: String! children(first: Int!): Components! }
  type Part { id: ID! name: String! stockLevels: [Level!]! }
  type Level { site: String! quantity: Float! movements(first: Int!): Movements! }
  type Movement { id: ID! quantity: Float! newBalance: Float! performedAt: String! }`;

/** Loads the rows of all keys with findMany and returns the first page of each key. */
const pages = (find, keyOf) =>
  new DataLoader(
    async (asked) => {
      const rows = await find([...new Set(asked.map(({ key }) => key))]);
      const groups = Map.groupBy ? Map.groupBy(rows, keyOf) : group(rows, keyOf);
      return asked.map(({ key, first }) => ({ nodes: (groups.get(key) ?? []).slice(0, first) }));
    },
    { cacheKeyFn: JSON.stringify },
  );
const group = (rows, keyOf) => {
  const groups = new Map();
  for (const row of rows) groups.get(keyOf(row))?.push(row) ?? groups.set(keyOf(row), [row]);
  return groups;
};
const live = { tenantId, deletedAt: null };
const byPosition = [{ position: "asc" }, { id: "asc" }];
const byCreation = [{ createdAt: "asc" }, { id: "asc" }];

const context = async () => ({
  roots: pages(
    (ids) => prisma.component.findMany({ where: { ...live, level: 0, assetId: { in: ids } }, orderBy: byPosition }),
    (row) => row.assetId,
  ),
  children: pages(
    (ids) => prisma.component.findMany({ where: { ...live, parentId: { in: ids } }, orderBy: byPosition }),
    (row) => row.parentId,
  ),
  levels: pages(
    (ids) => prisma.stockLevel.findMany({ where: { ...live, partId: { in: ids } }, orderBy: { site: "asc" } }),
    (row) => row.partId,
  ),
  movements: pages(
    (keys) =>
      prisma.stockMovement.findMany({
        where: { tenantId, OR: keys.map((key) => ({ partId: key.split("|")[0], site: key.split("|")[1] })) },
        orderBy: [{ performedAt: "asc" }, { id: "asc" }],
      }),
    (row) => `${row.partId}|${row.site}`,
  ),
});

const resolvers = {
  Query: {
    asset: (_, { id }) => prisma.asset.findFirst({ where: { ...live, id } }),
    assets: async (_, { first }) => ({ nodes: await prisma.asset.findMany({ where: live, orderBy: byCreation, take: first }) }),
    parts: async (_, { first }) => ({ nodes: await prisma.part.findMany({ where: { tenantId }, orderBy: byCreation, take: first }) }),
  },
  Asset: {
    components: ({ id }, { first }, { roots }) => roots.load({ key: id, first }),
    status: ({ status }) => status.toUpperCase(),
    createdAt: ({ createdAt }) => createdAt.toISOString(),
  },
  Component: { children: ({ id }, { first }, { children }) => children.load({ key: id, first }) },
  Part: { stockLevels: async ({ id }, _, { levels }) => (await levels.load({ key: id, first: 1000 })).nodes },
  Level: {
    movements: ({ partId, site }, { first }, { movements }) => movements.load({ key: `${partId}|${site}`, first }),
    quantity: ({ quantity }) => Number(quantity),
  },
  Movement: {
    quantity: ({ quantity }) => Number(quantity),
    newBalance: ({ newBalance }) => Number(newBalance),
    performedAt: ({ performedAt }) => performedAt.toISOString(),
  },
};

const { url } = await startStandaloneServer(new ApolloServer({ typeDefs, resolvers }), { context, listen: { port: 0, host: "127.0.0.1" } });
console.error(url.replace("localhost", "127.0.0.1"));
