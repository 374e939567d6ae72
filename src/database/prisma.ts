import type { Database } from "./database.js";
import { translated } from "./failures.js";
import { Prisma, PrismaClient } from "./generated/client.js";

export const openPrisma = (database: Database): PrismaClient => new PrismaClient({ adapter: database.adapter });

const softDeleted: ReadonlySet<string> = new Set(
  Object.entries(Prisma.ModelName)
    .map(([, model]) => model)
    .filter((model) => "deletedAt" in ((Prisma as Record<string, any>)[`${model}ScalarFieldEnum`] ?? {})),
);

/** The operations the house uses; any other is refused, because nothing would bind its tenant. */
const bound = new Set([
  "findFirst",
  "findMany",
  "count",
  "create",
  "createMany",
  "createManyAndReturn",
  "updateMany",
  "updateManyAndReturn",
]);

/**
 * Prisma for one tenant: every call is limited to the tenant's rows and, where the model keeps its deletes, to live ones.
 * Rows are addressed by `where: { id }`; an update answers the rows it changed, none where the id is unknown.
 */
export const tenantPrisma = (client: PrismaClient, tenantId: string) =>
  client.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (!bound.has(operation)) throw new Error(`${model}.${operation} is not bound to a tenant`);
          const call = args as { where?: object; data?: object | object[] };
          if (operation.startsWith("create")) {
            call.data = Array.isArray(call.data) ? call.data.map((row) => ({ ...row, tenantId })) : { ...call.data, tenantId };
          } else {
            call.where = { AND: [call.where ?? {}, { tenantId, ...(softDeleted.has(model) && { deletedAt: null }) }] };
          }
          try {
            return await query(call as never);
          } catch (error) {
            throw translated(error);
          }
        },
      },
    },
  });

export type TenantPrisma = ReturnType<typeof tenantPrisma>;
