/** The steps of an order. A tick is shown immediately and reverted if the service rejects it. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck, ClipboardPlus, ListChecks, Lock, ShieldAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { AllowSkip, FollowUp, UpdateStep } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { isPending } from "../../parts/orders.js";
import { Empty, messageBeside, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { exact, figure, numberOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { Order } from "./types.js";

type Step = Order["steps"][number];

export function Steps({ order, canWork, onRefused }: { order: Order; canWork: boolean; onRefused: () => void }) {
  if (!order.steps.length)
    return (
      <Empty icon={ListChecks} title={t`No steps`}>
        {t`Do the work as described, then complete the work order.`}
      </Empty>
    );
  return (
    <ol className="list steps">
      {order.steps.map((step) => (
        <StepLine key={step.id} of={order} step={step} canWork={canWork} onRefused={onRefused} />
      ))}
    </ol>
  );
}

/** Whether a value is outside the limits. The limits are allowed values. */
export const isOutside = ({ minimum, maximum }: Pick<Step, "minimum" | "maximum">, value: number): boolean =>
  (minimum != null && value < minimum) || (maximum != null && value > maximum);

/** The pending corrective order of a measurement, if there is one. */
export const followUpOf = ({ followUps }: Order, { order }: Pick<Step, "order">) =>
  followUps.find(({ followUpOfStep, status }) => followUpOfStep === order && isPending(status));

interface LineProps {
  of: Order;
  step: Step;
  canWork: boolean;
  onRefused: () => void;
}

function StepLine({ of, step, canWork, onRefused }: LineProps) {
  const { order, kind, description, safetyNote, status, tools, checkpoints, estimatedTime, minimum, maximum, unit, value, result, notes } =
    step;
  const { can } = useSession();
  const update = useChange(UpdateStep, { waits: true, onRefused });
  const [measured, setMeasured] = useState("");
  const [isAgain, setAgain] = useState(false);
  const [isNoNumber, setNoNumber] = useState(false);
  const [isFollowedUp, setFollowedUp] = useState(false);
  const [asked, setAsked] = useState<"skip" | "allow">();
  const isDone = status === "COMPLETED";
  const isSkipped = status === "SKIPPED";
  const isMeasured = kind === "MEASUREMENT";
  const number = numberOf(measured);
  const isTypedOutside = isMeasured && number !== undefined && isOutside(step, number);
  const followUp = followUpOf(of, step);
  const offersFollowUp = isTypedOutside && !followUp && can("createFollowUpWorkOrder");
  const set = (input: Parameters<typeof update.run>[0]["input"], done?: string) => update.run({ id: of.id, order, input }, done);
  const measure = async (event: FormEvent) => {
    event.preventDefault();
    setNoNumber(number === undefined);
    if (number === undefined) return;
    const withFollowUp = offersFollowUp && isFollowedUp;
    const input = { status: "COMPLETED", value: number, ...(withFollowUp && { followUp: {} }) } as const;
    if (!(await set(input, withFollowUp ? t`Value entered, follow-up work order created` : undefined))) return;
    setAgain(false);
    setFollowedUp(false);
    setMeasured("");
  };
  const limits = [minimum != null && t`from ${exact(minimum)}`, maximum != null && t`to ${exact(maximum)}`].filter(Boolean).join(" ");
  return (
    <li className={isDone ? "is-done" : ""}>
      <input
        type="checkbox"
        className="tick"
        aria-label={t`Step ${order}: ${description}`}
        checked={isDone}
        disabled={!canWork || isMeasured || isSkipped}
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
            {kind === "ISOLATE" ? t`Isolate` : kind === "VERIFY" ? t`Verify the isolation` : t`Release`}
          </span>
        )}
        {checkpoints.length > 0 && <span className="muted small">{t`Check: ${checkpoints.join(", ")}`}</span>}
        {tools.length > 0 && <span className="muted small">{t`Tools: ${tools.join(", ")}`}</span>}
        {notes && <span className="small said">{notes}</span>}
        {isMeasured && value != null && (
          <span className="row small">
            <strong className="num">
              {figure(value)} {unit}
            </strong>
            {result && (
              <Status value={result === "PASS" ? "COMPLETED" : "FAILED"} label={result === "PASS" ? t`Within limits` : t`Outside limits`} />
            )}
          </span>
        )}
        {isMeasured && isDone && result === "FAIL" && <FollowUpLine of={of} step={step} onRefused={onRefused} />}
        {isMeasured && canWork && isDone && !isAgain && (
          <span>
            <button type="button" className="button small" onClick={() => setAgain(true)}>
              {t`Measure again`}
            </button>
          </span>
        )}
        {isMeasured && canWork && !isSkipped && (!isDone || isAgain) && (
          <form className="row wrap" onSubmit={(event) => void measure(event)}>
            <input
              className="input"
              style={{ width: 120 }}
              inputMode="decimal"
              aria-label={unit ? t`Measured value of step ${order} in ${unit}` : t`Measured value of step ${order}`}
              aria-invalid={isNoNumber || isTypedOutside}
              aria-describedby={isNoNumber || isTypedOutside ? `${step.id}-wrong` : limits ? `${step.id}-limits` : undefined}
              value={measured}
              onChange={(event) => {
                setMeasured(event.target.value);
                setNoNumber(false);
              }}
            />
            <span className="muted">{unit}</span>
            <button type="submit" className="button small" disabled={update.isBusy}>
              {t`Enter`}
            </button>
            {isNoNumber && (
              <span className="status bad" role="alert" id={`${step.id}-wrong`}>
                {t`Enter a number, such as 7.5`}
              </span>
            )}
            {isTypedOutside && (
              <span className="status bad" role="status" id={`${step.id}-wrong`}>
                <ShieldAlert className="icon" aria-hidden />
                {t`Outside the limits: ${limits} ${unit ?? ""}`}
              </span>
            )}
            {offersFollowUp && (
              <label className="check">
                <input type="checkbox" checked={isFollowedUp} onChange={(event) => setFollowedUp(event.target.checked)} />
                {t`Create a follow-up work order`}
              </label>
            )}
          </form>
        )}
        {isMeasured && limits && (
          <span className="muted small" id={`${step.id}-limits`}>
            {t`Allowed: ${limits} ${unit ?? ""}`}
          </span>
        )}
        {step.reason && (
          <span className="small said">
            <span className="muted">{isSkipped ? t`Skipped:` : isDone ? t`Released:` : t`May be skipped:`} </span>
            {step.reason}
          </span>
        )}
        <SkipButtons of={of} step={step} canWork={canWork} onAsk={setAsked} />
      </div>
      {isSkipped && <Status value={status} />}
      {isDone && <CircleCheck className="icon done-sign" aria-hidden />}
      {!!estimatedTime && !isDone && <span className="muted small nowrap">{t`${figure(estimatedTime)} min`}</span>}
      {asked && <Skip of={of} step={step} isPermission={asked === "allow"} onRefused={onRefused} onClose={() => setAsked(undefined)} />}
    </li>
  );
}

interface StepProps {
  of: Order;
  step: Step;
  onRefused: () => void;
}

/** The corrective order of a value outside the limits: a link, or a button that creates the order. */
function FollowUpLine({ of, step, onRefused }: StepProps) {
  const { can } = useSession();
  const create = useChange(FollowUp, { onRefused });
  const followUp = followUpOf(of, step);
  if (followUp)
    return (
      <Link className="small" to="/work/$id" params={{ id: followUp.id }}>
        {t`Follow-up: ${followUp.title}`}
      </Link>
    );
  if (!can("createFollowUpWorkOrder")) return null;
  return (
    <span>
      <button
        type="button"
        className="button small"
        disabled={create.isBusy}
        onClick={() =>
          void create.run({ id: of.id, order: step.order }, t`Follow-up work order created`).then((done) => done && onRefused())
        }
      >
        <ClipboardPlus className="icon" aria-hidden />
        {t`Create a follow-up work order`}
      </button>
    </span>
  );
}

/** A step that isolates or verifies is skipped only with another person's permission, a required step only by a manager or with it. */
function SkipButtons({
  of,
  step,
  canWork,
  onAsk,
}: Omit<StepProps, "onRefused"> & { canWork: boolean; onAsk: (what: "skip" | "allow") => void }) {
  const { can, role, authorId } = useSession();
  if (step.status === "COMPLETED" || step.status === "SKIPPED" || !isPending(of.status) || step.kind === "RELEASE") return null;
  const isGate = step.kind === "ISOLATE" || step.kind === "VERIFY";
  const isManager = role === "MANAGER" || role === "ADMIN";
  const isAllowed = !!step.skipAllowedBy;
  const maySkip = isGate ? isAllowed && step.skipAllowedBy !== authorId : !step.required || isManager || isAllowed;
  return (
    <span className="row wrap">
      {canWork && maySkip && (
        <button type="button" className="button plain small" aria-label={t`Skip step ${step.order}`} onClick={() => onAsk("skip")}>
          {t`Skip`}
        </button>
      )}
      {can("allowWorkOrderStepSkip") && !isAllowed && (step.required || isGate) && (
        <button
          type="button"
          className="button plain small"
          aria-label={t`Allow skipping step ${step.order}`}
          onClick={() => onAsk("allow")}
        >
          {t`Allow skipping`}
        </button>
      )}
      {canWork && !maySkip && !isManager && <span className="muted small">{t`A manager can allow skipping this step.`}</span>}
    </span>
  );
}

function Skip({ of, step, isPermission, onRefused, onClose }: StepProps & { isPermission: boolean; onClose: () => void }) {
  const skip = useChange(UpdateStep, { waits: true, onRefused });
  const allow = useChange(AllowSkip, { onRefused });
  const [reason, setReason] = useState(step.reason ?? "");
  const { error, wrong, isBusy } = isPermission ? allow : skip;
  const refusal = messageBeside(error, "reason");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const ids = { id: of.id, order: step.order };
    const done = isPermission
      ? await allow.run({ ...ids, reason: reason.trim() }, t`The step may be skipped`)
      : await skip.run({ ...ids, input: { status: "SKIPPED", reason: reason.trim() } }, t`Step skipped`);
    if (done) onClose();
  };
  return (
    <Dialog title={isPermission ? t`Allow skipping step ${step.order}` : t`Skip step ${step.order}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="anywhere">{step.description}</p>
        <Refusal text={refusal} />
        <TextArea
          label={t`Reason`}
          hint={t`Stored with the step.`}
          required
          maxLength={255}
          value={reason}
          wrong={wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <DialogActions verb={isPermission ? t`Allow` : t`Skip the step`} isDisabled={isBusy || !reason.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}
