/** Checks conditions of readings, for strategies and procedures. */
import { badInput } from "../../../schema/errors.js";

interface ConditionInput {
  violations?: number | null;
  samples?: number | null;
  hysteresis?: number | null;
  minimumDuration?: number | null;
}

const maxSamples = 100;

/** Longest minimum duration, in minutes. */
const maxDuration = 1_440;

/**
 * Adds positions and defaults. Throws BAD_USER_INPUT naming `samples` below `violations` or above `maxSamples`, and durations above
 * `maxDuration`.
 */
export function conditionsOf<T extends ConditionInput>(inputs: T[], field: string) {
  const details: Record<string, string> = {};
  const conditions = inputs.map((condition, position) => {
    const violations = condition.violations ?? 1;
    const samples = condition.samples ?? violations;
    if (samples < violations) details[`${field}.${position}.samples`] = `must be at least violations, ${violations}`;
    if (samples > maxSamples) details[`${field}.${position}.samples`] = `must be at most ${maxSamples}`;
    if ((condition.minimumDuration ?? 0) > maxDuration) details[`${field}.${position}.minimumDuration`] = `must be at most ${maxDuration}`;
    return {
      ...condition,
      minimumDuration: condition.minimumDuration || null,
      position,
      violations,
      samples,
      hysteresis: condition.hysteresis ?? 0,
    };
  });
  if (Object.keys(details).length) throw badInput(details);
  return conditions;
}
