/** What steps may be together, and when one may be worked on (docs/work.md, "Steps"). No I/O. */
import { roleOrder } from "../../schema/access/enums.js";
import { enumName } from "../../schema/enums.js";
import { badInput, conflict, forbidden } from "../../schema/errors.js";
import type { MeasurementResult, StepKind, WorkOrderStepStatus } from "../../schema/maintenance/enums.js";
import type { CustomStepInput } from "../../schema/maintenance/procedure-input.js";
import type { Actor } from "../access/keys.js";

/** A step of a work order, as far as the rules read it. */
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

/** A step that is defined, with the path of its input. Without one it was checked before. */
export interface DefinedStep {
  step: CustomStepInput;
  field?: string;
}

/** Throws BAD_USER_INPUT naming what contradicts itself in steps that are sorted. */
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
    if (kinds[i] === "isolate" && !kinds.slice(i).includes("release")) details[`${field}.kind`] = "needs a RELEASE step after it";
    if (kinds[i] === "release" && !kinds.slice(0, i).includes("isolate"))
      details[`${field}.kind`] = "releases nothing; an ISOLATE step must come before it";
  }
  if (Object.keys(details).length) throw badInput(details);
}

const named = ({ order, description }: RuledStep) => `Step ${order} (${description})`;
const isUnfinished = ({ status }: RuledStep) => status === "pending" || status === "in_progress";
/** Nothing after it is done before it. */
const isGate = ({ kind }: RuledStep) => kind === "isolate" || kind === "verify";
const isManager = ({ role }: Actor) => roleOrder.indexOf(role) >= roleOrder.indexOf("manager");

/** CONFLICT that names a step. */
const blockedBy = (step: RuledStep, message: string) =>
  conflict(`${named(step)} ${message}`, { step: step.order, status: enumName(step.status) });

/** ISOLATE steps that are done and that no RELEASE step after them has taken back. */
const inForce = (steps: RuledStep[]): RuledStep[] =>
  steps.filter(
    ({ kind, status, order }) =>
      kind === "isolate" &&
      status === "completed" &&
      !steps.some((other) => other.kind === "release" && other.status === "completed" && other.order > order),
  );

/** Throws CONFLICT naming an ISOLATE or VERIFY step before this one that is unfinished. */
export function checkGates(steps: RuledStep[], step: RuledStep): void {
  const gate = steps.find((other) => other.order < step.order && isGate(other) && isUnfinished(other));
  if (gate) throw blockedBy(gate, `must be done before step ${step.order}`);
}

/**
 * Throws unless the actor may skip the step: a required one with a reason, by a manager or allowed by one; one that isolates or verifies where
 * another person allowed it before; one that releases while nothing is isolated.
 */
export function checkSkip(steps: RuledStep[], step: RuledStep, actor: Actor, reason: string | null | undefined): void {
  if (isGate(step) && (step.skipAllowedBy === null || step.skipAllowedBy === actor.principalId))
    throw blockedBy(step, "is skipped only after another person, a manager, allowed it with a reason: allowWorkOrderStepSkip");
  if (step.kind === "release" && inForce(steps).some(({ order }) => order < step.order))
    throw blockedBy(step, "cannot be skipped: the asset is isolated");
  if (!step.required || step.skipAllowedBy !== null) return;
  if (!isManager(actor)) throw forbidden(`${named(step)} is required; a manager may skip it, or allow that, with a reason`);
  if (!reason) throw badInput({ reason: "is required to skip a required step" });
}

/** Throws unless the actor isolated all that the step releases, or is a manager with a reason. Returns whether the reason is one for that. */
export function checkRelease(steps: RuledStep[], step: RuledStep, actor: Actor, reason: string | null | undefined): boolean {
  const other = inForce(steps).find(({ order, changedBy }) => order < step.order && changedBy !== actor.principalId);
  if (!other) return false;
  if (!isManager(actor)) throw forbidden(`${named(step)} is for who did step ${other.order}; a manager may release instead, with a reason`);
  if (!reason) throw badInput({ reason: `is required: step ${other.order} was done by somebody else` });
  return true;
}

/** Throws CONFLICT naming the step that keeps a work order from ending so. */
export function checkEnd(steps: RuledStep[], to: "completed" | "cancelled"): void {
  const isolated = inForce(steps).at(-1);
  const release = isolated && steps.find(({ kind, order }) => kind === "release" && order > isolated.order);
  if (isolated) throw blockedBy(release ?? isolated, "must be done first: the asset is isolated");
  if (to === "cancelled") return;
  const unfinished = steps.find((step) => isUnfinished(step) && (step.required || isGate(step)));
  if (unfinished) throw blockedBy(unfinished, "is required; do it, or skip it with a reason");
}

/** Null where there are no limits. */
export function resultOf({ minimum, maximum }: Pick<RuledStep, "minimum" | "maximum">, value: number): MeasurementResult | null {
  if (minimum === null && maximum === null) return null;
  return (minimum === null || value >= minimum) && (maximum === null || value <= maximum) ? "pass" : "fail";
}
