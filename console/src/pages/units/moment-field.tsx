import { TextField } from "../../parts/field.js";
import { instantAt, localAt } from "../../parts/zones.js";

/** The instant of a date and time at a site, as sent. Undefined for an empty field, which means now. */
export function instantOf(text: string, site: string | undefined): string | undefined {
  const [day = "", time = ""] = text.split("T");
  return text ? instantAt(day, time, site).toISOString() : undefined;
}

/** An instant as the field shows it, to the minute. */
export function localText(instant: string, site: string | undefined): string {
  const [day, time] = localAt(instant, site);
  return `${day}T${time.slice(0, 5)}`;
}

interface Props {
  label: string;
  hint?: string;
  value: string;
  wrong?: string;
  required?: boolean;
  onChange: (text: string) => void;
}

export const MomentField = ({ onChange, ...field }: Props) => (
  <TextField {...field} type="datetime-local" onChange={(event) => onChange(event.target.value)} />
);
