import { Search } from "lucide-react";
import type { InputHTMLAttributes } from "react";

interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "className" | "value" | "onChange"> {
  value: string;
  onChange: (value: string) => void;
}

/** A text field for a search, with its icon. Needs an `id` with a label, or an `aria-label`. */
export function SearchField({ onChange, ...input }: SearchFieldProps) {
  return (
    <div className="with-icon">
      <Search className="icon" aria-hidden />
      <input {...input} className="input" type="search" onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}
