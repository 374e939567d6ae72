/** Reopens a completed order that is not closed. Its postings stay (docs/work.md). */

import type { TenantDatabase } from "../../../database/database.js";
import { UniqueViolation } from "../../../database/errors.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { conflict } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { Actor } from "../../access/keys.js";
import { transition } from "./work-orders.js";

/** Throws the errors of `transition`, CONFLICT with `reason` if another order of its procedure or notification is pending by now. */
export const reopenWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason: string,
  expected?: Expected,
): Promise<Rows["WorkOrder"]> =>
  db
    .transaction(async (tx) => {
      const set = () => ['"completedAt" = null', '"endedAt" = null', "duration = null", '"alertOutcome" = null'];
      await transition(tx, actor, id, "in_progress", { from: ["completed"], reason, set, expected });
      const [reopened] = await tx.query<Rows["WorkOrder"]>(
        `select ${rowColumns("WorkOrder")} from "WorkOrder" where "tenantId" = $1 and id = $2`,
        id,
      );
      return reopened!;
    })
    .catch((error) => {
      if (!(error instanceof UniqueViolation)) throw error;
      throw conflict("The work order cannot be reopened", { reason: "Another work order is pending; complete or cancel it first" });
    });
