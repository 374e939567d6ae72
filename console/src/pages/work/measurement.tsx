/** The value of a measuring step: entered, compared with the limits, and followed up if it is outside. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ClipboardPlus, ShieldAlert } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { FollowUp, UpdateStep } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { isOutside } from "../../parts/limits.js";
import { isPending } from "../../parts/orders.js";
import { Status } from "../../parts/status.js";
import { exact, figure, notANumber, numberOf, numberText } from "../../parts/words.js";
import { isWaiting } from "../../session/cache.js";
import { useSession } from "../../session/session.js";
import { useRefusedStep } from "./refused-step.js";
import type { Order } from "./types.js";

type Step = Order["steps"][number];

/** The pending corrective order of a measurement, if there is one. */
const followUpOf = ({ followUps }: Order, { order }: Pick<Step, "order">) =>
  followUps.find(({ followUpOfStep, status }) => followUpOfStep === order && isPending(status));

interface Props {
  of: Order;
  step: Step;
  canMeasure: boolean;
  /** An earlier step must be done first. */
  isBlocked: boolean;
  onRefused: () => void;
}

export function Measurement({ of, step, canMeasure, isBlocked, onRefused }: Props) {
  const { order, status, minimum, maximum, unit, value, result } = step;
  const { can, queue } = useSession();
  const update = useChange(UpdateStep, { waits: true, onRefused });
  const refused = useRefusedStep(of.id, order, "value");
  const [measured, setMeasured] = useState("");
  const [isAgain, setAgain] = useState(false);
  const [isSent, setSent] = useState(false);
  const [isFollowedUp, setFollowedUp] = useState(false);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const isDone = status === "COMPLETED";
  const number = numberOf(measured);
  const isTypedOutside = number !== undefined && isOutside(step, number);
  const offersFollowUp = isTypedOutside && !followUpOf(of, step) && can("createFollowUpWorkOrder");
  const unread = isSent && number === undefined ? (notANumber(measured) ?? t`Enter a number, such as ${numberText(7.5)}`) : undefined;
  // A rejected value is shown again, so that it is not lost.
  useEffect(() => {
    if (refused) setMeasured((typed) => typed || numberText(refused.variables?.input.value));
  }, [refused]);
  const measure = async (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (number === undefined) return;
    const withFollowUp = offersFollowUp && isFollowedUp;
    const input = { status: "COMPLETED", value: number, ...(withFollowUp && { followUp: {} }) } as const;
    if (refused) queue.dismiss([refused]);
    // The value is shown before the response, and can be measured again meanwhile. The later value is sent after the response to the earlier one.
    setAgain(false);
    setSent(false);
    setMeasured("");
    const sent = last.current.then(() =>
      update.run({ id: of.id, order, input }, withFollowUp ? t`Value entered, follow-up work order created` : undefined),
    );
    last.current = sent;
    const done = await sent;
    if (done) return setFollowedUp(false);
    setAgain(isAgain);
    setMeasured((typed) => typed || measured);
  };
  const limits = [minimum != null && t`from ${exact(minimum)}`, maximum != null && t`to ${exact(maximum)}`].filter(Boolean).join(" ");
  return (
    <>
      {value != null && (
        <span className="row small">
          <strong className="num">
            {figure(value)} {unit}
          </strong>
          {result && (
            <Status value={result === "PASS" ? "COMPLETED" : "FAILED"} label={result === "PASS" ? t`Within limits` : t`Outside limits`} />
          )}
        </span>
      )}
      {isDone && result === "FAIL" && <FollowUpLine of={of} step={step} onRefused={onRefused} />}
      {canMeasure && !isBlocked && isDone && !isAgain && (
        <span>
          <button type="button" className="button small" onClick={() => setAgain(true)}>
            {t`Measure again`}
          </button>
        </span>
      )}
      {refused && (
        <span className="status bad wrap-text" role="alert">
          {t`${exact(refused.variables?.input.value, unit ?? "")} was not stored: ${refused.reason}`}
        </span>
      )}
      {canMeasure && (!isDone || isAgain) && (
        <form className="row wrap" onSubmit={(event) => void measure(event)}>
          <input
            className="input"
            style={{ width: 120 }}
            inputMode="decimal"
            autoComplete="off"
            aria-label={unit ? t`Measured value of step ${order} in ${unit}` : t`Measured value of step ${order}`}
            aria-invalid={!!unread || isTypedOutside || !!refused}
            aria-describedby={unread || isTypedOutside ? `${step.id}-wrong` : limits ? `${step.id}-limits` : undefined}
            disabled={isBlocked}
            value={measured}
            onChange={(event) => {
              setMeasured(event.target.value);
              setSent(false);
            }}
          />
          <span className="muted">{unit}</span>
          <button type="submit" className="button small" disabled={isBlocked}>
            {t`Enter`}
          </button>
          <span id={`${step.id}-wrong`} className="row wrap">
            {unread && (
              <span className="status bad" role="alert">
                {unread}
              </span>
            )}
            {isTypedOutside && (
              <span className="status bad" role="status">
                <ShieldAlert className="icon" aria-hidden />
                {t`Outside the limits: ${limits} ${unit ?? ""}`}
              </span>
            )}
          </span>
          {offersFollowUp && (
            <label className="check">
              <input type="checkbox" checked={isFollowedUp} onChange={(event) => setFollowedUp(event.target.checked)} />
              {t`Create a follow-up work order`}
            </label>
          )}
        </form>
      )}
      {limits && (
        <span className="muted small" id={`${step.id}-limits`}>
          {t`Allowed: ${limits} ${unit ?? ""}`}
        </span>
      )}
    </>
  );
}

/** The corrective order of a value outside the limits: a link, or a button that creates the order. */
function FollowUpLine({ of, step, onRefused }: Omit<Props, "canMeasure" | "isBlocked">) {
  const { can } = useSession();
  const create = useChange(FollowUp, { waits: true, onRefused });
  const followUp = followUpOf(of, step);
  if (followUp && isWaiting(followUp.id)) return <Status value="PENDING" label={t`Follow-up work order: waiting to be sent`} />;
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
          void create
            .run({ id: of.id, order: step.order }, t`Follow-up work order created`)
            .then((done) => done?.createFollowUpWorkOrder && onRefused())
        }
      >
        <ClipboardPlus className="icon" aria-hidden />
        {t`Create a follow-up work order`}
      </button>
    </span>
  );
}
