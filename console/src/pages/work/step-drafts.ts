/** Steps of a form, and the input that stores them. */
import type { CustomStepInput, StepKind } from "../../../../packages/client/src/generated/schema.js";
import { numberOf } from "../../parts/words.js";
import type { PartDraft } from "./part-fields.js";

export const blankStep = {
  kind: "TASK" as StepKind,
  description: "",
  required: false,
  estimatedTime: "",
  parameter: "",
  unit: "",
  minimum: "",
  maximum: "",
  /** Component of an EXCHANGE step. Empty if it is named on completion. */
  componentId: "",
  // Only steps of procedures have these. One tool or check a line.
  tools: "",
  checkpoints: "",
  safetyNote: "",
  parts: [] as PartDraft[],
};
export type StepDraft = typeof blankStep & { key: number };

let lastKey = 0;
export const newKey = () => ++lastKey;

export const stepsOf = (drafts: StepDraft[]): CustomStepInput[] =>
  drafts.map(({ kind, description, required, estimatedTime, parameter, unit, minimum, maximum, componentId }) => ({
    kind,
    description: description.trim(),
    required,
    estimatedTime: numberOf(estimatedTime),
    ...(kind === "MEASUREMENT" && {
      parameter: parameter.trim() || undefined,
      unit: unit.trim() || undefined,
      minimum: numberOf(minimum),
      maximum: numberOf(maximum),
    }),
    ...(kind === "EXCHANGE" && { componentId: componentId || undefined }),
  }));
