/** A work order on paper: to carry along, fill in and sign. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, Printer, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { useQuery } from "urql";
import { PrintedOrder, type PrintedOrderQuery } from "../../generated/printed-order.js";
import { useTitle } from "../../parts/hooks.js";
import { doerOf } from "../../parts/people.js";
import { QrCode } from "../../parts/qr-code.js";
import { addressOfOrder } from "../../parts/said.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { exact, figure, moment, unitWord, wordOf } from "../../parts/words.js";

type Order = NonNullable<PrintedOrderQuery["workOrder"]>;
type Step = Order["steps"][number];
type Part = Order["requiredParts"][number];

export function PrintedOrderPage(): ReactNode {
  const { id } = useParams({ from: "/work/$id/print" });
  const [{ data, error, fetching }, retry] = useQuery({ query: PrintedOrder, variables: { id } });
  const order = data?.workOrder?.id === id ? data.workOrder : undefined;
  useTitle(order && t`${order.title}, print`);
  if (!order) {
    if (fetching) return <LoadingCard lines={10} />;
    if (error && !error.graphQLErrors.some(({ extensions }) => extensions?.code === "NOT_FOUND"))
      return <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
    return <Empty icon={SearchX} title={t`There is no such work order`} />;
  }
  return (
    <>
      <div className="row wrap spread printed-order-buttons">
        <Link className="button" to="/work/$id" params={{ id }}>
          <ArrowLeft className="icon" aria-hidden />
          {t`Work order`}
        </Link>
        <button type="button" className="button primary" onClick={() => print()}>
          <Printer className="icon" aria-hidden />
          {t`Print`}
        </button>
      </div>
      <Sheet order={order} />
    </>
  );
}

function Sheet({ order }: { order: Order }) {
  const { asset, component, onPaper, description, notes, steps, requiredParts, estimatedDuration } = order;
  const facts: [string, ReactNode][] = [
    [
      t`Number`,
      <span key="number" className="mono">
        {order.externalId ?? order.id.slice(0, 8)}
      </span>,
    ],
    [t`Asset`, asset && [asset.name, onPaper?.serialNumber].filter(Boolean).join(", ")],
    [t`Component`, component?.name],
    [t`Place`, asset && [asset.site, asset.area, onPaper?.location].filter(Boolean).join(", ")],
    [t`Planned for`, moment(order.scheduledDate, asset?.site)],
    [t`Assigned to`, doerOf(order) ?? t`Nobody yet`],
    [t`Type`, [wordOf(order.type), t`${wordOf(order.priority)} priority`].join(", ")],
    [t`Procedure`, order.procedure?.name],
    [t`Estimated`, estimatedDuration != null && t`${figure(estimatedDuration)} min`],
  ];
  return (
    <article className="printed-order">
      <div className="printed-order-head">
        <div>
          <p className="small">{t`Work order`}</p>
          <h1>{order.title}</h1>
          {order.productionStopped && <p className="strong">{t`Production has stopped`}</p>}
        </div>
        <QrCode text={addressOfOrder(order.id)} label={t`Address of the work order`} />
      </div>
      <dl className="facts">
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {[description, notes].filter(Boolean).map((text) => (
        <p key={text} className="said">
          {text}
        </p>
      ))}
      {steps.length > 0 && (
        <section aria-labelledby="sheet-steps">
          <h2 id="sheet-steps">{t`Steps`}</h2>
          <ol className="printed-order-steps">
            {steps.map((step) => (
              <StepLine key={step.id} step={step} />
            ))}
          </ol>
        </section>
      )}
      {requiredParts.length > 0 && <Parts parts={requiredParts} />}
      <section aria-labelledby="sheet-signatures">
        <h2 id="sheet-signatures">{t`Signatures`}</h2>
        <Blanks labels={[t`Work done by`, t`Signature`, t`Date, time`]} />
        <Blanks labels={[t`Checked by`, t`Signature`, t`Date, time`]} />
      </section>
      <p className="small mono">{order.id}</p>
    </article>
  );
}

const lockoutLines: Partial<Record<Step["kind"], [title: string, ...blanks: string[]]>> = {
  ISOLATE: [t`Lockout/tagout: isolated and locked`, t`Lock or tag number`, t`Name`, t`Signature`, t`Date, time`],
  VERIFY: [t`Lockout/tagout: zero energy verified`, t`Name`, t`Signature`, t`Date, time`],
  RELEASE: [t`Lockout/tagout: lock removed`, t`Lock or tag number`, t`Name`, t`Signature`, t`Date, time`],
};

function StepLine({ step }: { step: Step }) {
  const { order, kind, description, required, safetyNote, status, value, unit, minimum, maximum, parameter, tools, checkpoints } = step;
  const limits = [minimum != null && t`from ${exact(minimum)}`, maximum != null && t`to ${exact(maximum)}`].filter(Boolean).join(" ");
  const [lockout, ...blanks] = lockoutLines[kind] ?? [];
  return (
    <li>
      <span className="box" aria-hidden>
        {status === "COMPLETED" ? "✓" : status === "SKIPPED" ? "–" : ""}
      </span>
      <div className="grow">
        <p>
          <span className="num">{order}.</span> {description}
          {(required || kind === "ISOLATE" || kind === "VERIFY") && <span className="small"> {t`(required)`}</span>}
          {status === "SKIPPED" && <span className="small"> {t`(skipped)`}</span>}
        </p>
        {safetyNote && <p className="strong">{t`Safety: ${safetyNote}`}</p>}
        {tools.length > 0 && <p className="small">{t`Tools: ${tools.join(", ")}`}</p>}
        {checkpoints.length > 0 && <p className="small">{t`Check: ${checkpoints.join(", ")}`}</p>}
        {kind === "MEASUREMENT" && (
          <p>
            {parameter}: {value == null ? <span className="blank short" /> : <strong>{exact(value)}</strong>} {unit}
            {limits && ` ${t`(allowed ${limits})`}`}
          </p>
        )}
        {kind === "EXCHANGE" && <PrintedExchange step={step} />}
        {lockout && (
          <>
            <p className="strong">{lockout}</p>
            <Blanks labels={blanks} />
          </>
        )}
      </div>
    </li>
  );
}

function PrintedExchange({ step: { status, component, removedUnit: removed, installedUnit: installed } }: { step: Step }) {
  const units = [removed && `${t`Came out:`} ${removed.serialNumber}`, installed && `${t`Went in:`} ${installed.serialNumber}`];
  const blanks = [t`Serial number of the unit that comes out`, t`Serial number of the unit that goes in`, t`Why it comes out`];
  return (
    <>
      <p className="strong">{[t`Exchange unit`, component?.name].filter(Boolean).join(": ")}</p>
      {status === "COMPLETED" ? <p>{units.filter(Boolean).join(" · ")}</p> : <Blanks labels={blanks} />}
    </>
  );
}

function Parts({ parts }: { parts: Part[] }) {
  return (
    <section aria-labelledby="sheet-parts">
      <h2 id="sheet-parts">{t`Parts`}</h2>
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>{t`Part`}</th>
              <th>{t`Number`}</th>
              <th>{t`Bin`}</th>
              <th className="right">{t`Planned`}</th>
              <th className="right">{t`Used`}</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ id, part, site, quantity, usedQuantity }) => (
              <tr key={id}>
                <td>{part.name}</td>
                <td className="mono">{part.partNumber}</td>
                <td>{[site, binOf(part, site)].filter(Boolean).join(", ")}</td>
                <td className="right num">{exact(quantity, unitWord(part.unitOfMeasure))}</td>
                <td className="right num">{usedQuantity == null ? <span className="blank short" /> : exact(usedQuantity)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const binOf = ({ stockLevels, location }: Part["part"], site: string) =>
  stockLevels.find((level) => level.site === site)?.location ?? location;

/** Lines to fill in by hand. */
const Blanks = ({ labels }: { labels: string[] }) => (
  <div className="blanks">
    {labels.map((label) => (
      <span key={label}>
        <span className="blank" />
        <span className="small">{label}</span>
      </span>
    ))}
  </div>
);
