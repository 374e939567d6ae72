/** Assignment of work orders. The same statement queues a mail (mails.ts). Webhooks follow the change log. */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { versionConflict } from "../../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { Bindings } from "../../../database/rows/rows.js";
import { storedId } from "../../../schema/access/principal.js";
import { enumName } from "../../../schema/enums.js";
import { badInput, conflict, forbidden } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import { Where } from "../../../schema/where.js";
import type { Actor } from "../../access/keys.js";
import { lockWorkOrder } from "./material.js";

interface Assignment {
  id: string;
  /** Null to unassign. */
  principalId?: string | null;
  expected?: Expected;
  /** Whether mails are sent. */
  isMailed: boolean;
}

/**
 * Condition of an eligible principal, who must be active. Persons who sign in by token qualify, because only the identity provider knows
 * their sites. Others need a valid key for such work at the asset's site.
 */
const mayDoIt = (assetId: string) => `p."isActive" and p."erasedAt" is null and (p.subject is not null or exists (
  select 1 from "ApiKey" k where k."tenantId" = $1 and k."principalId" = p.id and k."revokedAt" is null and (k."expiresAt" is null or k."expiresAt" > now())
    and k.role in ('technician', 'manager', 'admin')
    and (coalesce(cardinality(k.sites), 0) = 0 or exists (select 1 from "Asset" a where a."tenantId" = $1 and a.id = ${assetId} and a.site = any(k.sites)))))`;

/**
 * Throws NOT_FOUND, FORBIDDEN for another site and for a technician who assigns to others, BAD_USER_INPUT naming principalId. Throws
 * CONFLICT for a finished work order, and for a technician if it is already assigned.
 */
export const assignWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  { id, principalId, expected, isMailed }: Assignment,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const assigneeId = principalId == null ? null : storedId(principalId);
    const isOwn = assigneeId === actor.principalId;
    const order = await lockWorkOrder(tx, actor, id);
    if (actor.role === "technician" && !isOwn)
      throw forbidden("A technician can take unassigned work; assigning it to others needs the role manager");
    const notAtVersion = expected == null || expected === order.version ? undefined : await versionConflict(tx, "WorkOrder", id, expected);
    if (notAtVersion) throw notAtVersion;
    if (order.endedAt) throw conflict("Completed or cancelled work cannot be assigned", { status: enumName(order.status) }).about("id");
    if (order.assigneeId === assigneeId) return order;
    if (actor.role === "technician" && order.assigneeId !== null)
      throw conflict("The work order is already assigned", { assigneeId: order.assigneeId }).about("id");
    // Locks the person against concurrent erasure and deactivation.
    const [assigned] = await tx.query<Rows["WorkOrder"]>(
      `with person as (
         select p.id, p.email from "Principal" p where p."tenantId" = $1 and p.id = $3 and ${mayDoIt("$5")} for share
       ), assigned as (
         update "WorkOrder" w set "assigneeId" = $3, "updatedBy" = $4 where w."tenantId" = $1 and w.id = $2
           and ($3::text is null or exists (select 1 from person)) returning ${rowColumns("WorkOrder", "w")}
       ), mail as (
         ${insertSelect(
           "Mail",
           {
             id: "$6",
             kind: "'work_order_assigned'",
             workOrderId: "$2",
             recipientId: "person.id",
             status: "'pending'",
             attempts: "0",
             nextAttemptAt: "now()",
             lastAttemptAt: "null::timestamptz",
             error: "null",
             createdAt: "now()",
             settledAt: "null::timestamptz",
           },
           "person where $7::boolean and person.email is not null",
         )}
       ) select ${rowColumns("WorkOrder")} from assigned`,
      id,
      assigneeId,
      actor.principalId,
      order.assetId,
      newId(),
      isMailed && !isOwn,
    );
    if (!assigned) throw badInput({ principalId: "names no active person who may work at the asset's site" });
    return assigned;
  });

const maxAssignees = 200;

/** Principals that `assignWorkOrder` accepts for an asset, filtered by name. */
export function assigneesFor(db: TenantQueryable, assetId: string, name: string | undefined | null): Promise<Rows["Principal"][]> {
  const named = name ? new Where().contains("name", name) : new Where();
  const { values, bind } = new Bindings();
  return db.query(
    `select ${rowColumns("Principal", "p")} from "Principal" p where p."tenantId" = $1 and ${mayDoIt(bind(assetId))}${named.render(bind)}
     order by lower(p.name), p.id limit ${maxAssignees}`,
    ...values,
  );
}
