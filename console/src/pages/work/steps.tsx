/** The steps of an order. A tick is shown immediately and reverted if the service rejects it. The user cannot undo it, as in the service. */
import { t } from "@lingui/core/macro";
import { CircleCheck, ListChecks } from "lucide-react";
import { type FormEvent, useState } from "react";
import { AllowSkip, UpdateStep } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { isPending } from "../../parts/orders.js";
import { Empty, messageBeside, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { figure } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Measurement } from "./measurement.js";
import { StepExchange } from "./step-exchange.js";
import { StepNotes } from "./step-notes.js";
import { gateBefore, isGate } from "./step-rules.js";
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

interface LineProps {
  of: Order;
  step: Step;
  canWork: boolean;
  onRefused: () => void;
}

function StepLine({ of, step, canWork, onRefused }: LineProps) {
  const { order, kind, description, status, estimatedTime, notes } = step;
  const update = useChange(UpdateStep, { waits: true, onRefused });
  const [asked, setAsked] = useState<"skip" | "allow">();
  const isDone = status === "COMPLETED";
  const isSkipped = status === "SKIPPED";
  const isMeasured = kind === "MEASUREMENT";
  const isExchanged = kind === "EXCHANGE";
  const gate = gateBefore(of.steps, step);
  const mayChange = canWork && !gate;
  return (
    <li className={isDone ? "is-done" : ""}>
      <input
        type="checkbox"
        className="tick"
        aria-label={t`Step ${order}: ${description}`}
        checked={isDone}
        disabled={!mayChange || isMeasured || isExchanged || isDone || isSkipped}
        onChange={() => void update.run({ id: of.id, order, input: { status: "COMPLETED" } })}
      />
      <div className="grow stack tight">
        <span>
          <span className="muted num">{order}.</span> <span className="step-text said">{description}</span>
        </span>
        <StepNotes step={step} />
        {notes && <span className="small said">{notes}</span>}
        {isMeasured && <Measurement of={of} step={step} canMeasure={canWork && !isSkipped} isBlocked={!!gate} onRefused={onRefused} />}
        {isExchanged && <StepExchange of={of} step={step} canExchange={mayChange && !isSkipped} onRefused={onRefused} />}
        {canWork && gate && !isDone && !isSkipped && <span className="muted small">{t`Step ${gate.order} must be done first.`}</span>}
        {step.reason && (
          <span className="small said">
            <span className="muted">{isSkipped ? t`Skipped:` : isDone ? t`Released:` : t`May be skipped:`} </span>
            {step.reason}
          </span>
        )}
        <SkipButtons of={of} step={step} canWork={mayChange} onAsk={setAsked} />
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

/** A step that isolates or verifies is skipped only with another person's permission, a required step only by a manager or with it. */
function SkipButtons({
  of,
  step,
  canWork,
  onAsk,
}: Omit<StepProps, "onRefused"> & { canWork: boolean; onAsk: (what: "skip" | "allow") => void }) {
  const { can, role, authorId } = useSession();
  if (step.status === "COMPLETED" || step.status === "SKIPPED" || !isPending(of.status) || step.kind === "RELEASE") return null;
  const isManager = role === "MANAGER" || role === "ADMIN";
  const isAllowed = !!step.skipAllowedBy;
  const maySkip = isGate(step) ? isAllowed && step.skipAllowedBy !== authorId : !step.required || isManager || isAllowed;
  return (
    <span className="row wrap">
      {canWork && maySkip && (
        <button type="button" className="button plain small" aria-label={t`Skip step ${step.order}`} onClick={() => onAsk("skip")}>
          {t`Skip`}
        </button>
      )}
      {can("allowWorkOrderStepSkip") && !isAllowed && (step.required || isGate(step)) && (
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
