import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { exact, unitWord } from "../../parts/words.js";
import type { NeededPart } from "./types.js";

/** Parts with their quantities, to read. */
export const NeededParts = ({ parts, label }: { parts: NeededPart[]; label: string }) => (
  <ul className="stack tight small" aria-label={label}>
    {parts.map(({ part, quantity, isOptional }) => (
      <li key={part.id} className="row wrap">
        <span className="num nowrap">{exact(quantity, unitWord(part.unitOfMeasure) || "×")}</span>
        <Link to="/stock/$id" params={{ id: part.id }}>
          {part.name}
        </Link>
        <span className="muted mono">{part.partNumber}</span>
        {isOptional && <span className="muted">{t`Optional`}</span>}
      </li>
    ))}
  </ul>
);
