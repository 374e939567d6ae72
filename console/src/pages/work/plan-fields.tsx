/** Type, priority and date of an order, as fields of its forms. */
import { t } from "@lingui/core/macro";
import type { Priority, WorkOrderType } from "../../../../packages/client/src/generated/schema.js";
import { Select } from "../../parts/field.js";
import { wordOf } from "../../parts/words.js";
import { instantAt, today } from "../../parts/zones.js";

const types: WorkOrderType[] = ["CORRECTIVE", "PREVENTIVE", "INSPECTION", "PREDICTIVE", "PROJECT"];
const priorities: Priority[] = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

interface Props<Value> {
  value: Value;
  wrong?: string;
  onChange: (value: Value) => void;
}

function WordSelect<Value extends string>({ label, words, value, wrong, onChange }: Props<Value> & { label: string; words: Value[] }) {
  return (
    <Select label={label} value={value} wrong={wrong} onChange={(event) => onChange(event.target.value as Value)}>
      {words.map((one) => (
        <option key={one} value={one}>
          {wordOf(one)}
        </option>
      ))}
    </Select>
  );
}

export const TypeSelect = (props: Props<WorkOrderType>) => <WordSelect label={t`Type`} words={types} {...props} />;
export const PrioritySelect = (props: Props<Priority>) => <WordSelect label={t`Priority`} words={priorities} {...props} />;

/** Without a day, the work is planned for now. Otherwise it starts in the morning. */
export const dateInput = (day: string, site: string | undefined) =>
  day && day !== today(site) ? { scheduledDate: instantAt(day, "08:00", site).toISOString() } : {};
