import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { movementsOf } from "../../../domain/inventory/stock/serials.js";
import { notFound } from "../../../schema/errors.js";
import { StockMovement } from "../../../schema/inventory/stock/movement.js";
import { type BatchArgs, batchesOfPart, SerialArgs, StockSerial } from "../../../schema/inventory/stock/serial.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import { one } from "../../../schema/relation.js";
import { Where } from "../../../schema/where.js";
import type { Context } from "../../context.js";
import { listCost } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const serialRoots = declareRoots({
  serialNumber: one<SerialArgs>("StockSerial", {
    args: SerialArgs,
    on: { partId: "partId", serialNumber: "number" },
    unknown: ({ partId, number }) => notFound("Serial number", { partId, number }),
    description:
      "Returns the location and history of a serialized piece. Returns null with a NOT_FOUND error if the serial number is unknown.",
  }),
  batches: { ...batchesOfPart, where: ({ partId, site }: BatchArgs) => new Where().equal({ partId, site }).add("quantity > 0") },
});

const historyOf = ({ partId, serialNumber }: StockSerial, { data: { loaders } }: Context): Promise<StockMovement[]> =>
  loaders.load(movementsOf, [partId, serialNumber] as const);

@Resolver(() => StockSerial)
export class SerialResolver {
  @FieldResolver(() => [StockMovement], {
    complexity: listCost(5),
    description: "Movements that include the serial number, oldest first. At most the last 1,000.",
  })
  movements(@Root() serial: StockSerial, @Ctx() context: Context): Promise<StockMovement[]> {
    return historyOf(serial, context);
  }

  @FieldResolver(() => [WorkOrder], {
    complexity: listCost(2),
    description: "Work orders to which the piece was issued or from which it was returned, in order.",
  })
  async workOrders(@Root() serial: StockSerial, @Ctx() context: Context): Promise<WorkOrder[]> {
    const movements = await historyOf(serial, context);
    const ids = [...new Set(movements.flatMap(({ workOrderId }) => workOrderId ?? []))];
    const orders = await Promise.all(ids.map((id) => context.data.loaders.record("WorkOrder", id)));
    return orders.filter((order) => order !== null) as WorkOrder[];
  }
}
