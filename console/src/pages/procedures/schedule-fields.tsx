/** The dates of a procedure, as fields of its form. */
import { t } from "@lingui/core/macro";
import type { DateShift, MissedPolicy, SchedulingBasis } from "../../../../packages/client/src/generated/schema.js";
import type { EditorAssetQuery } from "../../generated/editor.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { weekdayName, weekdays } from "../../parts/words.js";
import type { Draft } from "./draft.js";
import { intervals } from "./schedule-words.js";

interface Props {
  id?: string;
  draft: Draft;
  asset: EditorAssetQuery["asset"] | undefined;
  wrong: Record<string, string>;
  onChange: (values: Partial<Draft>) => void;
}

export function ScheduleFields({ id, draft, asset, wrong, onChange }: Props) {
  const { frequency, schedulingRules: rules, statutory } = draft;
  const hasDates = frequency !== "NONE";
  const setRules = (values: Partial<Draft["schedulingRules"]>) => onChange({ schedulingRules: { ...rules, ...values } });
  const others = asset?.procedures.filter((one) => one.id !== id) ?? [];
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={statutory}
          onChange={({ target }) =>
            // Required work is never skipped or left out.
            onChange({
              statutory: target.checked,
              ...(target.checked && { suppressedById: "", missedPolicy: draft.missedPolicy === "SKIP" ? "COLLAPSE" : draft.missedPolicy }),
            })
          }
        />
        {t`Required by law: dates only move earlier, and none is skipped`}
      </label>
      <div className="grid-2">
        <Select
          label={t`Every`}
          value={frequency}
          wrong={wrong.frequency}
          onChange={({ target }) => onChange({ frequency: target.value as Draft["frequency"] })}
        >
          {Object.entries(intervals).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
          <option value="CUSTOM">{t`A number of days`}</option>
          <option value="NONE">{t`No dates, only by meter or reading`}</option>
        </Select>
        {frequency === "CUSTOM" && (
          <NumberField
            label={t`Days`}
            min={1}
            isWhole
            required
            value={draft.customIntervalDays}
            wrong={wrong.customIntervalDays}
            onChange={({ target }) => onChange({ customIntervalDays: target.value })}
          />
        )}
        {hasDates && (
          <TextField
            label={id ? t`Counted from` : t`First due on`}
            type="date"
            max="9999-12-31"
            required={!!id}
            hint={id ? t`A new day becomes the next due date` : t`Leave empty for one interval from now`}
            value={draft.anchor.day}
            wrong={wrong.anchor}
            onChange={({ target }) => onChange({ anchor: { ...draft.anchor, day: target.value } })}
          />
        )}
        {hasDates && (
          <Select
            label={t`Next date counts from`}
            value={draft.schedulingBasis}
            onChange={({ target }) => onChange({ schedulingBasis: target.value as SchedulingBasis })}
          >
            <option value="FIXED">{t`The fixed dates`}</option>
            <option value="FLOATING">{t`The last completion`}</option>
          </Select>
        )}
        {hasDates && draft.schedulingBasis === "FIXED" && (
          <Select
            label={t`Missed dates`}
            value={draft.missedPolicy}
            wrong={wrong.missedPolicy}
            onChange={({ target }) => onChange({ missedPolicy: target.value as MissedPolicy })}
          >
            <option value="COLLAPSE">{t`Do the latest only`}</option>
            <option value="CATCH_UP">{t`Do each of them`}</option>
            {!statutory && <option value="SKIP">{t`Skip them`}</option>}
          </Select>
        )}
        {hasDates && (
          <Select
            label={t`Day of the week`}
            value={rules.preferredDay}
            wrong={wrong["schedulingRules.preferredDay"]}
            onChange={({ target }) => setRules({ preferredDay: target.value })}
          >
            <option value="">{t`Any`}</option>
            {weekdays.map((one) => (
              <option key={one} value={one}>
                {weekdayName(one)}
              </option>
            ))}
          </Select>
        )}
        <NumberField
          label={t`Create the work order, days before`}
          min={0}
          value={rules.leadTime}
          wrong={wrong["schedulingRules.leadTime"]}
          onChange={({ target }) => setRules({ leadTime: target.value })}
        />
        {!statutory && others.length > 0 && (
          <Select
            label={t`Left out when due together with`}
            hint={t`A procedure of the asset that is due less often`}
            value={draft.suppressedById}
            wrong={wrong.suppressedById}
            onChange={({ target }) => onChange({ suppressedById: target.value })}
          >
            <option value="">{t`None`}</option>
            {others.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </div>
      {hasDates && (
        <div className="stack tight">
          <label className="check">
            <input type="checkbox" checked={rules.avoidWeekends} onChange={({ target }) => setRules({ avoidWeekends: target.checked })} />
            {statutory ? t`Move weekend dates to Friday` : t`Move weekend dates to Monday`}
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={draft.workingDaysOnly}
              onChange={({ target }) => onChange({ workingDaysOnly: target.checked })}
            />
            {t`Only on working days of the site`}
          </label>
          {draft.workingDaysOnly && !statutory && (
            <Select
              label={t`Move other days`}
              value={draft.shift}
              onChange={({ target }) => onChange({ shift: target.value as DateShift })}
            >
              <option value="LATER">{t`To the next working day`}</option>
              <option value="EARLIER">{t`To the previous working day`}</option>
            </Select>
          )}
        </div>
      )}
    </>
  );
}
