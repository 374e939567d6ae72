/** The steps of an order. A tick is shown immediately and reverted if the service rejects it. */
import { CircleCheck, ListChecks, Lock, ShieldAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { UpdateStep } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { figure } from "../../parts/words.js";
import type { Order } from "./types.js";

type Step = Order["steps"][number];

export function Steps({ order, canWork, onRefused }: { order: Order; canWork: boolean; onRefused: () => void }) {
  if (!order.steps.length)
    return (
      <Empty icon={ListChecks} title="No steps">
        Do the work as described, then complete the work order.
      </Empty>
    );
  return (
    <ol className="list steps">
      {order.steps.map((step) => (
        <StepLine key={step.id} orderId={order.id} step={step} canWork={canWork} onRefused={onRefused} />
      ))}
    </ol>
  );
}

interface LineProps {
  orderId: string;
  step: Step;
  canWork: boolean;
  onRefused: () => void;
}

function StepLine({ orderId, step, canWork, onRefused }: LineProps) {
  const { order, kind, description, safetyNote, status, tools, checkpoints, estimatedTime, minimum, maximum, unit, value, result, notes } =
    step;
  const update = useChange(UpdateStep, { waits: true, onRefused });
  const [measured, setMeasured] = useState("");
  const [isAgain, setAgain] = useState(false);
  const [isNoNumber, setNoNumber] = useState(false);
  const isDone = status === "COMPLETED";
  const isMeasured = kind === "MEASUREMENT";
  const set = (input: Parameters<typeof update.run>[0]["input"]) => update.run({ id: orderId, order, input });
  const measure = async (event: FormEvent) => {
    event.preventDefault();
    const isNumber = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(measured.trim());
    setNoNumber(!isNumber);
    if (!isNumber || !(await set({ status: "COMPLETED", value: Number(measured.trim().replace(",", ".")) }))) return;
    setAgain(false);
    setMeasured("");
  };
  const limits = [minimum != null && `from ${figure(minimum)}`, maximum != null && `to ${figure(maximum)}`].filter(Boolean).join(" ");
  return (
    <li className={isDone ? "is-done" : ""}>
      <input
        type="checkbox"
        className="tick"
        aria-label={`Step ${order}: ${description}`}
        checked={isDone}
        disabled={!canWork || isMeasured || status === "SKIPPED"}
        onChange={(event) => void set({ status: event.target.checked ? "COMPLETED" : "PENDING" })}
      />
      <div className="grow stack tight">
        <span>
          <span className="muted num">{order}.</span> <span className="step-text said">{description}</span>
        </span>
        {safetyNote && (
          <span className="status warn wrap-text">
            <ShieldAlert className="icon" aria-hidden />
            {safetyNote}
          </span>
        )}
        {(kind === "ISOLATE" || kind === "VERIFY" || kind === "RELEASE") && (
          <span className="status info">
            <Lock className="icon" aria-hidden />
            {kind === "ISOLATE" ? "Isolate" : kind === "VERIFY" ? "Verify the isolation" : "Release"}
          </span>
        )}
        {checkpoints.length > 0 && <span className="muted small">Check: {checkpoints.join(", ")}</span>}
        {tools.length > 0 && <span className="muted small">Tools: {tools.join(", ")}</span>}
        {notes && <span className="small said">{notes}</span>}
        {isMeasured && value != null && (
          <span className="row small">
            <strong className="num">
              {figure(value)} {unit}
            </strong>
            {result && (
              <Status value={result === "PASS" ? "COMPLETED" : "FAILED"} label={result === "PASS" ? "Within limits" : "Outside limits"} />
            )}
          </span>
        )}
        {isMeasured && canWork && isDone && !isAgain && (
          <span>
            <button type="button" className="button small" onClick={() => setAgain(true)}>
              Measure again
            </button>
          </span>
        )}
        {isMeasured && canWork && (!isDone || isAgain) && (
          <form className="row wrap" onSubmit={(event) => void measure(event)}>
            <input
              className="input"
              style={{ width: 120 }}
              inputMode="decimal"
              aria-label={`Measured value of step ${order}${unit ? ` in ${unit}` : ""}`}
              aria-invalid={isNoNumber}
              aria-describedby={isNoNumber ? `${step.id}-wrong` : undefined}
              value={measured}
              onChange={(event) => setMeasured(event.target.value)}
            />
            <span className="muted">{unit}</span>
            <button type="submit" className="button small" disabled={update.isBusy}>
              Enter
            </button>
            {isNoNumber && (
              <span className="status bad" role="alert" id={`${step.id}-wrong`}>
                Enter a number, such as 7.5
              </span>
            )}
          </form>
        )}
        {isMeasured && limits && (
          <span className="muted small">
            Allowed: {limits} {unit}
          </span>
        )}
      </div>
      {status === "SKIPPED" && <Status value={status} />}
      {isDone && <CircleCheck className="icon done-sign" aria-hidden />}
      {!!estimatedTime && !isDone && <span className="muted small nowrap">{figure(estimatedTime)} min</span>}
    </li>
  );
}
