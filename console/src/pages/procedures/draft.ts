/** The values of a procedure's form, and the input that stores them. The names are those of the input. */
import type {
  CreateProcedureInput,
  DateShift,
  MissedPolicy,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  SafetyRequirement,
  SchedulingBasis,
  TriggerOperator,
  UpdateProcedureInput,
} from "../../../../packages/client/src/generated/schema.js";
import type { ProcedureToEditQuery } from "../../generated/editor.js";
import { numberOf, numberText } from "../../parts/words.js";
import { instantAt, localAt } from "../../parts/zones.js";
import type { PartDraft } from "../work/part-fields.js";
import { newKey, type StepDraft, stepsOf } from "../work/step-drafts.js";

export type ProcedureRecord = NonNullable<ProcedureToEditQuery["procedure"]>;

/** `dueAtTotal` is empty for the default. */
export interface MeterDraft {
  meterId: string;
  interval: string;
  dueAtTotal: string;
}
export interface ConditionDraft {
  key: number;
  parameter: string;
  operator: TriggerOperator;
  threshold: string;
  unit: string;
  violations: string;
  samples: string;
  minimumDuration: string;
  hysteresis: string;
}

export interface Draft {
  assetId: string;
  name: string;
  description: string;
  externalId: string;
  status: ProcedureStatus;
  priority: Priority;
  statutory: boolean;
  estimatedDuration: string;
  /** One a line. */
  requiredSkills: string;
  safetyRequirements: SafetyRequirement[];
  /** `NONE`: due only by meters, readings or hand. */
  frequency: ProcedureFrequency | "NONE";
  customIntervalDays: string;
  /** A day at the site, and the time of day. */
  anchor: { day: string; time: string };
  schedulingBasis: SchedulingBasis;
  missedPolicy: MissedPolicy;
  workingDaysOnly: boolean;
  shift: DateShift;
  schedulingRules: { preferredDay: string; avoidWeekends: boolean; leadTime: string };
  suppressedById: string;
  meters: MeterDraft[];
  conditions: ConditionDraft[];
  steps: StepDraft[];
  parts: PartDraft[];
}

export const blank: Draft = {
  assetId: "",
  name: "",
  description: "",
  externalId: "",
  status: "ACTIVE",
  priority: "MEDIUM",
  statutory: false,
  estimatedDuration: "",
  requiredSkills: "",
  safetyRequirements: [],
  frequency: "MONTHLY",
  customIntervalDays: "",
  anchor: { day: "", time: "08:00:00" },
  schedulingBasis: "FIXED",
  missedPolicy: "COLLAPSE",
  workingDaysOnly: false,
  shift: "LATER",
  schedulingRules: { preferredDay: "", avoidWeekends: false, leadTime: "" },
  suppressedById: "",
  meters: [],
  conditions: [],
  steps: [],
  parts: [],
};

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
const numberIn = (text: string) => numberOf(text) ?? null;

export function draftOf(record: ProcedureRecord): Draft {
  const { schedulingRules: rules, frequency, customIntervalDays, steps, parts, meters, conditions } = record;
  const [day, time] = localAt(record.anchor, record.asset?.site);
  const partOf = ({ part, quantity, isOptional }: ProcedureRecord["parts"][number]): PartDraft => ({
    part,
    quantity: numberText(quantity),
    isOptional,
  });
  return {
    assetId: record.assetId,
    name: record.name,
    description: record.description ?? "",
    externalId: record.externalId ?? "",
    status: record.status,
    priority: record.priority,
    statutory: record.statutory,
    estimatedDuration: numberText(record.estimatedDuration),
    requiredSkills: record.requiredSkills.join("\n"),
    safetyRequirements: record.safetyRequirements,
    frequency: frequency === "CUSTOM" && !customIntervalDays ? "NONE" : frequency,
    customIntervalDays: numberText(customIntervalDays),
    anchor: { day, time },
    schedulingBasis: record.schedulingBasis,
    missedPolicy: record.missedPolicy,
    workingDaysOnly: record.workingDaysOnly,
    shift: record.shift,
    schedulingRules: {
      preferredDay: rules?.preferredDay?.toLowerCase() ?? "",
      avoidWeekends: rules?.avoidWeekends ?? false,
      leadTime: numberText(rules?.leadTime),
    },
    suppressedById: record.suppressedById ?? "",
    meters: meters.map(({ meterId, interval, dueAtTotal }) => ({
      meterId,
      interval: numberText(interval),
      dueAtTotal: numberText(dueAtTotal),
    })),
    conditions: conditions.map((one) => ({
      key: newKey(),
      parameter: one.parameter,
      operator: one.operator,
      threshold: numberText(one.threshold),
      unit: one.unit ?? "",
      violations: numberText(one.violations),
      samples: numberText(one.samples),
      minimumDuration: numberText(one.minimumDuration),
      hysteresis: numberText(one.hysteresis || null),
    })),
    steps: steps.map((step) => ({
      key: newKey(),
      kind: step.kind,
      description: step.description,
      required: step.required,
      estimatedTime: numberText(step.estimatedTime),
      parameter: step.parameter ?? "",
      unit: step.unit ?? "",
      minimum: numberText(step.minimum),
      maximum: numberText(step.maximum),
      componentId: step.componentId ?? "",
      tools: step.tools.join("\n"),
      checkpoints: step.checkpoints.join("\n"),
      safetyNote: step.safetyNote ?? "",
      parts: step.parts?.map(partOf) ?? [],
    })),
    parts: parts.map(partOf),
  };
}

const neededOf = ({ part, quantity }: PartDraft) => ({ partId: part.id, quantity: numberOf(quantity)! });

/** The schedule as the service takes it, without meters and conditions. */
export function scheduleOf(draft: Draft, site: string | undefined) {
  const { frequency, customIntervalDays, anchor, schedulingRules: rules } = draft;
  return {
    frequency: frequency === "NONE" ? "CUSTOM" : frequency,
    customIntervalDays: frequency === "CUSTOM" ? numberIn(customIntervalDays) : null,
    anchor: anchor.day ? instantAt(anchor.day, anchor.time, site).toISOString() : undefined,
    schedulingBasis: draft.schedulingBasis,
    missedPolicy: draft.missedPolicy,
    workingDaysOnly: draft.workingDaysOnly,
    shift: draft.shift,
    statutory: draft.statutory,
    schedulingRules: {
      preferredDay: rules.preferredDay || null,
      avoidWeekends: rules.avoidWeekends,
      leadTime: numberIn(rules.leadTime),
    },
    suppressedById: draft.suppressedById || null,
  } satisfies Partial<CreateProcedureInput>;
}

function inputOf(draft: Draft, site: string | undefined) {
  return {
    ...scheduleOf(draft, site),
    assetId: draft.assetId,
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    externalId: draft.externalId.trim() || null,
    status: draft.status,
    priority: draft.priority,
    estimatedDuration: numberIn(draft.estimatedDuration),
    requiredSkills: linesOf(draft.requiredSkills),
    safetyRequirements: draft.safetyRequirements,
    meters: draft.meters.map(({ meterId, interval, dueAtTotal }) => ({
      meterId,
      interval: numberOf(interval)!,
      ...(dueAtTotal.trim() && { dueAtTotal: numberOf(dueAtTotal) }),
    })),
    conditions: draft.conditions.map((one) => ({
      parameter: one.parameter.trim(),
      operator: one.operator,
      threshold: numberOf(one.threshold)!,
      unit: one.unit.trim() || null,
      violations: numberIn(one.violations),
      samples: numberIn(one.samples),
      minimumDuration: numberIn(one.minimumDuration),
      hysteresis: numberIn(one.hysteresis),
    })),
    steps: stepsOf(draft.steps).map((step, index) => {
      const { tools, checkpoints, safetyNote, parts } = draft.steps[index]!;
      return {
        ...step,
        tools: linesOf(tools),
        checkpoints: linesOf(checkpoints),
        safetyNote: safetyNote.trim() || null,
        parts: parts.map(neededOf),
      };
    }),
    parts: draft.parts.map((one) => ({ ...neededOf(one), isOptional: !!one.isOptional })),
  } satisfies CreateProcedureInput;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The changed values. */
export function changesOf(before: Draft, after: Draft, site: string | undefined): UpdateProcedureInput {
  const [was, now] = [inputOf(before, site), inputOf(after, site)];
  const names = Object.keys(now) as (keyof typeof now)[];
  return Object.fromEntries(names.filter((name) => !same(was[name], now[name])).map((name) => [name, now[name]]));
}

/** The input of a new procedure: what differs from the defaults, and what is required. */
export function newInput(draft: Draft, site: string | undefined): CreateProcedureInput {
  const { assetId, name, frequency, customIntervalDays } = inputOf(draft, site);
  return {
    ...changesOf(blank, draft, site),
    assetId,
    name,
    frequency,
    ...(customIntervalDays && { customIntervalDays }),
  } as CreateProcedureInput;
}

/** Their values where the user changed nothing. */
export function mergeDrafts(before: Draft, mine: Draft, theirs: Draft): Draft {
  const isMine = changesOf(before, mine, undefined);
  // The frequency of a procedure without dates is stored as CUSTOM.
  const inInput = (name: keyof Draft) => name in isMine || (name === "frequency" && before.frequency !== mine.frequency);
  return Object.fromEntries(
    (Object.keys(theirs) as (keyof Draft)[]).map((name) => [name, (inInput(name) ? mine : theirs)[name]]),
  ) as unknown as Draft;
}
