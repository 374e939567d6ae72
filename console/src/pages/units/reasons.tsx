import type { RemovalReason } from "../../../../packages/client/src/generated/schema.js";
import { Select } from "../../parts/field.js";
import { wordOf } from "../../parts/words.js";

/** In the order in which they are offered. */
const removalReasons: RemovalReason[] = ["FAILURE", "PREVENTIVE", "OPPORTUNITY", "CANNIBALISED", "WRONG_ITEM", "UNKNOWN"];

interface Props {
  label: string;
  isRequired: boolean;
  value: string;
  wrong?: string;
  onChange: (reason: string) => void;
}

export const ReasonSelect = ({ label, isRequired, value, wrong, onChange }: Props) => (
  <Select label={label} required={isRequired} value={value} wrong={wrong} onChange={(event) => onChange(event.target.value)}>
    <option value="">–</option>
    {removalReasons.map((one) => (
      <option key={one} value={one}>
        {wordOf(one)}
      </option>
    ))}
  </Select>
);
