/** The first steps of a new plant, from the first site to the first due work order. The records themselves mark a step as done. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleDashed } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { OrderDueWork } from "../../generated/calendar.js";
import { SetUp as Document } from "../../generated/set-up.js";
import { useChange } from "../../parts/change.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { day } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Invite } from "../admin/invite.js";
import { NewAsset } from "../asset/edit.js";
import { NewPart } from "../stock/part-edit.js";
import { NewSite } from "./new-site.js";

type Form = "site" | "asset" | "part" | "invite";

interface Step {
  title: string;
  text: string;
  isDone: boolean;
  /** Shown once the earlier steps that it needs are done. */
  actions?: ReactNode;
}

interface Props {
  /** Reloads the page. */
  onDone: () => void;
  /** Absent while the plant is empty. */
  onHide?: () => void;
}

export function SetUp({ onDone, onHide }: Props) {
  const { can, principalId } = useSession();
  const navigate = useNavigate();
  const invites = can("createPerson") && can("createInvitation");
  const [form, setForm] = useState<Form>();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { withPeople: invites } });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["ASSET", "COMPONENT", "PART", "PRINCIPAL", "PROCEDURE", "SITE", "STOCK_SETTINGS", "WORK_ORDER"], readAgain);
  const order = useChange(OrderDueWork);
  if (!data?.assets) return fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />;

  const close = () => setForm(undefined);
  const made = () => {
    readAgain();
    onDone();
  };
  const sites = (data.sites ?? []).filter(({ name }) => name);
  const [asset] = data.assets.nodes;
  const [procedure] = data.procedures?.nodes ?? [];
  const [planned] = data.planned?.nodes ?? [];
  const open = (one: Form, label: string) => (
    <button type="button" className="button small primary" onClick={() => setForm(one)}>
      {label}
    </button>
  );
  const importLink = can("importAssets") && (
    <Link className="button small" to="/admin" search={{ tab: "import" }}>
      {t`Import a CSV file`}
    </Link>
  );
  const steps: Step[] = [
    {
      title: t`Create the first site`,
      text: t`Its time zone decides on which day work is due.`,
      isDone: sites.length > 0,
      actions: open("site", t`New site`),
    },
    ...(can("updateStockSettings")
      ? [
          {
            title: t`Set the currency`,
            text: t`All costs and stock values are in one currency. It cannot be changed once stock has a value.`,
            isDone: !!data.stockSettings?.currency,
            actions: (
              <Link className="button small primary" to="/admin" search={{ tab: "settings" }}>
                {t`Open the settings`}
              </Link>
            ),
          },
        ]
      : []),
    {
      title: t`Create the first asset`,
      text: t`Enter a machine, or import a list of all machines.`,
      isDone: !!asset,
      actions: sites.length > 0 && (
        <>
          {open("asset", t`New asset`)}
          {importLink}
        </>
      ),
    },
    {
      title: t`Add its components, or the first spare part`,
      text: t`Add components one by one, or all of a template. Spare parts are kept in stock.`,
      isDone: (data.components?.totalCount ?? 0) + (data.parts?.totalCount ?? 0) > 0,
      actions: asset && (
        <>
          <Link className="button small primary" to="/asset/$id" params={{ id: asset.id }} search={{ tab: "components" }}>
            {t`Open the components`}
          </Link>
          {can("createPart") && (
            <button type="button" className="button small" onClick={() => setForm("part")}>
              {t`New part`}
            </button>
          )}
        </>
      ),
    },
    {
      title: t`Plan the first maintenance`,
      text: t`A procedure lists the steps of the work and how often it is due.`,
      isDone: !!procedure,
      actions: asset && (
        <Link className="button small primary" to="/procedures/new" search={{ asset: asset.id }}>
          {t`New procedure`}
        </Link>
      ),
    },
    {
      title: t`Get the first due work order`,
      text: procedure?.nextDue
        ? t`The service creates it when “${procedure.name}” is due, on ${day(procedure.nextDue, procedure.asset?.site)}. You can also create it now.`
        : t`The service creates the order when the procedure is due.`,
      isDone: !!planned,
      actions: procedure && (
        <button
          type="button"
          className="button small primary"
          disabled={order.isBusy}
          onClick={async () => {
            if (await order.run({ procedureId: procedure.id }, t`${procedure.name} ordered`)) made();
          }}
        >
          {t`Create the order now`}
        </button>
      ),
    },
    ...(invites
      ? [
          {
            title: t`Invite a colleague`,
            text: t`Each person signs in under their own name, with a role of their own.`,
            isDone: (data.principals?.nodes ?? []).some(({ id }) => id !== principalId),
            actions: open("invite", t`Invite a person`),
          },
        ]
      : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="card" aria-labelledby="set-up">
      <header>
        <h2 id="set-up">{t`Set up the plant`}</h2>
        <span className="muted small num">{t`${done} of ${steps.length} done`}</span>
        {onHide && (
          <button type="button" className="button small" onClick={onHide}>
            {t`Hide`}
          </button>
        )}
      </header>
      <ol className="list set-up">
        {steps.map(({ title, text, isDone, actions }) => (
          <li key={title}>
            {isDone ? <CircleCheck className="icon done" aria-hidden /> : <CircleDashed className="icon" aria-hidden />}
            <div className="grow">
              <div className={isDone ? "muted" : "strong"}>
                {title}
                {isDone && <span className="hidden-text">: {t`done`}</span>}
              </div>
              {!isDone && <div className="muted small">{text}</div>}
            </div>
            {!isDone && actions && <span className="row wrap">{actions}</span>}
          </li>
        ))}
      </ol>
      {planned && (
        <p className="list-end">
          <Link to="/work/$id" params={{ id: planned.id }}>
            {t`Open the first planned work order`}
          </Link>
        </p>
      )}
      {form === "site" && <NewSite onClose={close} onMade={made} />}
      {form === "invite" && <Invite sites={sites.map(({ name }) => name)} onClose={close} onMade={made} />}
      {form === "asset" && <NewAsset site={sites[0]?.name} onClose={close} onMade={made} />}
      {form === "part" && <NewPart onClose={close} onMade={(id) => void navigate({ to: "/stock/$id", params: { id }, search: {} })} />}
    </section>
  );
}
