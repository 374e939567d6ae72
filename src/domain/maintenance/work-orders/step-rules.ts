/** Rules for steps (docs/work.md, "Steps"): valid combinations, and order of work. No I/O. */
import { roleOrder } from "../../../schema/access/enums.js";
import { enumName } from "../../../schema/enums.js";
import { badInput, conflict, forbidden } from "../../../schema/errors.js";
import type { MeasurementResult, StepKind, WorkOrderStepStatus } from "../../../schema/maintenance/enums.js";
import type { CustomStepInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import type { Actor } from "../../access/keys.js";

/** The fields of a work order's step that the rules read. */
export interface RuledStep {
  order: number;
  description: string;
  status: WorkOrderStepStatus;
  kind: StepKind;
  required: boolean;
  minimum: number | null;
  maximum: number | null;
  changedBy: string | null;
  skipAllowedBy: string | null;
}

/** A step definition, with the path of its input. Without a path, it was checked before. */
export interface DefinedStep {
  step: CustomStepInput;
  field?: string;
}

/** Throws BAD_USER_INPUT naming contradictions in sorted steps. */
export function checkDefinitions(steps: DefinedStep[]): void {
  const details: Record<string, string> = {};
  const kinds = steps.map(({ step }) => step.kind ?? "task");
  for (const [i, { step, field }] of steps.entries()) {
    if (field === undefined) continue;
    if (kinds[i] === "measurement") {
      if (!step.parameter) details[`${field}.parameter`] = "is required for a measurement: what is measured";
      if (step.minimum != null && step.maximum != null && step.minimum > step.maximum)
        details[`${field}.maximum`] = "must not be below the minimum";
    } else
      for (const name of ["parameter", "unit", "minimum", "maximum"] as const)
        if (step[name] != null) details[`${field}.${name}`] = "is for steps of the kind MEASUREMENT";
    if (kinds[i] !== "exchange" && step.componentId != null) details[`${field}.componentId`] = "is for steps of the kind EXCHANGE";
    if (kinds[i] === "isolate" && !kinds.slice(i).includes("release")) details[`${field}.kind`] = "needs a RELEASE step after it";
    if (kinds[i] === "release" && !kinds.slice(0, i).includes("isolate"))
      details[`${field}.kind`] = "releases nothing; an ISOLATE step must come before it";
  }
  if (Object.keys(details).length) throw badInput(details);
}

const named = ({ order, description }: RuledStep) => `Step ${order} (${description})`;
const isUnfinished = ({ status }: RuledStep) => status === "pending" || status === "in_progress";
/** Steps after a gate must not be completed before it. */
const isGate = ({ kind }: RuledStep) => kind === "isolate" || kind === "verify";
const isManager = ({ role }: Actor) => roleOrder.indexOf(role) >= roleOrder.indexOf("manager");

/** CONFLICT that names a step. */
const blockedBy = (step: RuledStep, message: string) =>
  conflict(`${named(step)} ${message}`, { step: step.order, status: enumName(step.status) });

/** Completed ISOLATE steps that no later RELEASE step has undone. */
const inForce = (steps: RuledStep[]): RuledStep[] =>
  steps.filter(
    ({ kind, status, order }) =>
      kind === "isolate" &&
      status === "completed" &&
      !steps.some((other) => other.kind === "release" && other.status === "completed" && other.order > order),
  );

/** Throws CONFLICT naming an unfinished ISOLATE or VERIFY step before this one. */
export function checkGates(steps: RuledStep[], step: RuledStep): void {
  const gate = steps.find((other) => other.order < step.order && isGate(other) && isUnfinished(other));
  if (gate) throw blockedBy(gate, `must be done before step ${step.order}`);
}

/**
 * Throws unless the actor may skip the step. A required step needs a manager with a reason, or a manager's permission. A step that isolates
 * or verifies needs another person's permission. A step that releases can be skipped only while nothing is isolated.
 */
export function checkSkip(steps: RuledStep[], step: RuledStep, actor: Actor, reason: string | null | undefined): void {
  if (isGate(step) && (step.skipAllowedBy === null || step.skipAllowedBy === actor.principalId))
    throw blockedBy(step, "is skipped only after another person, a manager, allowed it with a reason: allowWorkOrderStepSkip");
  if (step.kind === "release" && inForce(steps).some(({ order }) => order < step.order))
    throw blockedBy(step, "cannot be skipped: the asset is isolated");
  if (!step.required || step.skipAllowedBy !== null) return;
  if (!isManager(actor)) throw forbidden(`${named(step)} is required; a manager can skip it or allow skipping, with a reason`);
  if (!reason) throw badInput({ reason: "is required to skip a required step" });
}

/**
 * Throws unless the actor isolated everything that the step releases, or is a manager with a reason. Returns whether the manager's reason
 * applies.
 */
export function checkRelease(steps: RuledStep[], step: RuledStep, actor: Actor, reason: string | null | undefined): boolean {
  const other = inForce(steps).find(({ order, changedBy }) => order < step.order && changedBy !== actor.principalId);
  if (!other) return false;
  if (!isManager(actor))
    throw forbidden(`${named(step)} can be completed by the person who did step ${other.order}, or by a manager with a reason`);
  if (!reason) throw badInput({ reason: `is required: step ${other.order} was done by somebody else` });
  return true;
}

/** Throws CONFLICT naming the step that prevents completion or cancellation of a work order. */
export function checkEnd(steps: RuledStep[], to: "completed" | "cancelled"): void {
  const isolated = inForce(steps).at(-1);
  const release = isolated && steps.find(({ kind, order }) => kind === "release" && order > isolated.order);
  if (isolated) throw blockedBy(release ?? isolated, "must be done first: the asset is isolated");
  if (to === "cancelled") return;
  const unfinished = steps.find((step) => isUnfinished(step) && (step.required || isGate(step)));
  if (unfinished) throw blockedBy(unfinished, "is required; do it, or skip it with a reason");
}

/** Null without limits. */
export function resultOf({ minimum, maximum }: Pick<RuledStep, "minimum" | "maximum">, value: number): MeasurementResult | null {
  if (minimum === null && maximum === null) return null;
  return (minimum === null || value >= minimum) && (maximum === null || value <= maximum) ? "pass" : "fail";
}
