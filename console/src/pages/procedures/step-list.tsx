import { t } from "@lingui/core/macro";
import { ListChecks, Ruler } from "lucide-react";
import { Empty } from "../../parts/states.js";
import { exact, timeSpent } from "../../parts/words.js";
import { StepNotes } from "../work/step-notes.js";
import { NeededParts } from "./needed-parts.js";
import type { Step } from "./types.js";

/** The steps of a procedure, to read. */
export function StepList({ steps }: { steps: Step[] }) {
  if (!steps.length)
    return (
      <Empty icon={ListChecks} title={t`No steps`}>
        {t`Work orders of this procedure have only its description.`}
      </Empty>
    );
  return (
    <ol className="list steps">
      {steps.map((step) => (
        <StepLine key={step.order} step={step} />
      ))}
    </ol>
  );
}

function StepLine({ step }: { step: Step }) {
  const { order, kind, description, required, estimatedTime, parts } = step;
  return (
    <li>
      <div className="grow stack tight">
        <span>
          <span className="muted num">{order}.</span> <span className="said">{description}</span>
        </span>
        <StepNotes step={step}>
          {kind === "MEASUREMENT" && (
            <span className="status info wrap-text">
              <Ruler className="icon" aria-hidden />
              {measurementWords(step)}
            </span>
          )}
        </StepNotes>
        {parts && <NeededParts parts={parts} label={t`Parts of step ${order}`} />}
      </div>
      <span className="muted small right">
        {[required && t`Required`, estimatedTime && timeSpent(estimatedTime)].filter(Boolean).join(" · ")}
      </span>
    </li>
  );
}

/** `Measure vibration, from 0 to 7 mm/s`. */
function measurementWords({ parameter, minimum, maximum, unit }: Step): string {
  const limits = [minimum != null && t`from ${exact(minimum)}`, maximum != null && t`to ${exact(maximum)}`].filter(Boolean).join(" ");
  if (limits) return t`Measure ${parameter ?? ""}, ${limits} ${unit ?? ""}`.trim();
  return unit ? t`Measure ${parameter ?? ""} in ${unit}` : t`Measure ${parameter ?? ""}`;
}
