/** The exchange of a step: the present unit is scanned out, another one is scanned in. Also without a connection, as other steps. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Replace } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useQuery } from "urql";
import type { RemovalReason } from "../../../../packages/client/src/generated/schema.js";
import { UpdateStep } from "../../generated/order.js";
import { StepPosition } from "../../generated/step-exchange.js";
import { useChange } from "../../parts/change.js";
import { TextField } from "../../parts/field.js";
import { ScanButton } from "../../parts/scan-button.js";
import { recordOn } from "../../parts/scanned.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { ReasonSelect } from "../units/reasons.js";
import { makerOf } from "../units/types.js";
import { PositionSelect } from "./position-select.js";
import { useRefusedStep } from "./refused-step.js";
import type { Order } from "./types.js";

type Step = Order["steps"][number];

interface Props {
  of: Order;
  step: Step;
  /** The user may do the step unless it is done. */
  canExchange: boolean;
  onRefused: () => void;
}

export function StepExchange({ of, step, canExchange, onRefused }: Props) {
  const { component, removedUnit: removed, installedUnit: installed, status } = step;
  const isDone = status === "COMPLETED";
  return (
    <>
      {component && (
        <span className="small">
          <Link to="/component/$id" params={{ id: component.id }}>
            {component.name}
          </Link>
          {!isDone && `: ${presentWords(component.unitAt)}`}
        </span>
      )}
      {isDone && (
        <span className="row wrap small">
          {removed && (
            <span>
              {t`Came out:`}{" "}
              <Link className="mono" to="/units/$id" params={{ id: removed.id }}>
                {removed.serialNumber}
              </Link>
            </span>
          )}
          {installed && (
            <span>
              {t`Went in:`}{" "}
              <Link className="mono" to="/units/$id" params={{ id: installed.id }}>
                {installed.serialNumber}
              </Link>
            </span>
          )}
        </span>
      )}
      {canExchange && <ExchangeForm of={of} step={step} onRefused={onRefused} />}
    </>
  );
}

/** Paths of the messages that a field shows. */
const beside = ["exchange.removed", "exchange.installed", "exchange.reason"];

type Present = NonNullable<Step["component"]>["unitAt"];

function presentWords(unit: Present): string {
  if (!unit) return t`no unit is installed`;
  const name = [unit.serialNumber, makerOf(unit)].filter(Boolean).join(", ");
  return t`${name} is installed`;
}

/** Keeps what was typed while the step is shown as done: the service may still refuse it. */
function ExchangeForm({ of, step, onRefused }: Omit<Props, "canExchange">) {
  const { order, component } = step;
  const { queue } = useSession();
  const update = useChange(UpdateStep, { waits: true, onRefused });
  const refused = useRefusedStep(of.id, order, "exchange");
  const [chosen, setChosen] = useState("");
  const [out, setOut] = useState("");
  const [put, setPut] = useState("");
  const [reason, setReason] = useState("");
  const [{ data }] = useQuery({
    query: StepPosition,
    variables: { id: chosen },
    pause: !chosen || !!component,
    requestPolicy: "cache-and-network",
  });
  const position = component ?? (data?.component?.id === chosen ? data.component : undefined);
  const present = position?.unitAt;
  const { wrong, error, isBusy } = update;
  const [removed, installed] = [out.trim(), put.trim()];
  const isOther = !!present && removed !== "" && removed !== present.serialNumber;
  // The page may show a former unit: the service decides which one is there.
  const isComplete = !!(component || chosen) && (!present || removed !== "") && (removed || installed) && (!removed || reason !== "");

  // A rejected exchange is shown again, so that it is not lost.
  useEffect(() => {
    const former = refused?.variables?.input.exchange;
    if (!former) return;
    setChosen((id) => id || (former.componentId ?? ""));
    setOut((text) => text || (former.removed?.serialNumber ?? ""));
    setPut((text) => text || (former.installed?.serialNumber ?? ""));
    setReason((word) => word || (former.reason ?? ""));
  }, [refused]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const exchange = {
      ...(!component && { componentId: chosen }),
      ...(removed && { removed: { serialNumber: removed }, reason: reason as RemovalReason }),
      ...(installed && { installed: { serialNumber: installed } }),
    };
    if (refused) queue.dismiss([refused]);
    const done = installed ? t`${installed} is installed` : t`${removed} is removed`;
    await update.run({ id: of.id, order, input: { status: "COMPLETED", exchange } }, done);
  };
  if (step.status === "COMPLETED") return null;
  return (
    <form className="stack tight" aria-label={t`Exchange of step ${order}`} aria-busy={isBusy} onSubmit={submit}>
      {refused && (
        <span className="status bad wrap-text" role="alert">
          {t`The exchange was not stored: ${refused.reason}`}
        </span>
      )}
      {!component && (
        <>
          <PositionSelect
            assetId={of.assetId}
            empty="–"
            required
            value={chosen}
            wrong={wrong["exchange.componentId"]}
            onChange={(id) => {
              setChosen(id);
              update.forget();
            }}
          />
          {position && <span className="small">{`${position.name}: ${presentWords(present ?? null)}`}</span>}
        </>
      )}
      {(!position || present) && (
        <ScannedSerial
          label={t`Serial number of the unit that comes out`}
          verb={t`Scan out`}
          value={out}
          wrong={
            isOther ? t`${present.serialNumber} is installed here` : (wrong["exchange.removed"] ?? wrong["exchange.removed.serialNumber"])
          }
          onChange={(text) => {
            setOut(text);
            update.forget();
          }}
        />
      )}
      <ScannedSerial
        label={t`Serial number of the unit that goes in`}
        verb={t`Scan in`}
        value={put}
        wrong={wrong["exchange.installed"] ?? wrong["exchange.installed.id"] ?? wrong["exchange.installed.serialNumber"]}
        onChange={(text) => {
          setPut(text);
          update.forget();
        }}
      />
      {(!position || present) && (
        <ReasonSelect
          label={t`Why it comes out`}
          isRequired={removed !== ""}
          value={reason}
          wrong={wrong["exchange.reason"]}
          onChange={setReason}
        />
      )}
      <Refusal text={messageBeside(error, ...beside, ...(component ? [] : ["exchange.componentId"]))} />
      <span>
        <button type="submit" className="button primary" disabled={isBusy || !isComplete}>
          <Replace className="icon" aria-hidden />
          {t`Exchange`}
        </button>
      </span>
    </form>
  );
}

interface SerialProps {
  label: string;
  /** Text of the button that scans. */
  verb: string;
  value: string;
  wrong: string | undefined;
  onChange: (text: string) => void;
}

function ScannedSerial({ label, verb, value, wrong, onChange }: SerialProps) {
  const [unscanned, setUnscanned] = useState<string>();
  const change = (text: string, problem?: string) => {
    setUnscanned(problem);
    onChange(text);
  };
  return (
    <div className="scan-field">
      <TextField
        label={label}
        autoComplete="off"
        maxLength={255}
        value={value}
        wrong={unscanned ?? wrong}
        onChange={({ target }) => change(target.value)}
      />
      <ScanButton
        verb={verb}
        onCode={(text) =>
          recordOn(text)
            ? change("", t`That was the label of a record. Scan the serial number of the unit.`)
            : change(text.trim().slice(0, 255))
        }
      />
    </div>
  );
}
