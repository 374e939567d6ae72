/** Procedures: preventive maintenance by due date, of all assets or of one. */
import { plural, t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarClock, ListPlus, Scale, X } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { ProcedureList, type ProcedureListQuery } from "../../generated/procedures.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { type ItemProps, LongList } from "../../parts/long-list.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { day } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { isOverdue } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { triggersInShort } from "./schedule-words.js";
import { SectionTabs } from "./section-tabs.js";

type Line = NonNullable<ProcedureListQuery["procedures"]>["nodes"][number];

const states = [
  [undefined, t`Active`],
  ["DRAFT", t`Draft`],
  ["INACTIVE", t`Inactive`],
  ["ARCHIVED", t`Archived`],
] as const;

export function ProceduresPage(): ReactNode {
  const search = useSearch({ from: "/procedures" });
  const { site, asset, status, q } = search;
  const { can } = useSession();
  const navigate = useNavigate({ from: "/procedures" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  useTitle(t`Procedures`);
  const list = JSON.stringify(search);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: ProcedureList,
    variables: {
      filter: {
        status: status ?? "ACTIVE",
        ...(q && { or: [{ search: q }, { asset: { search: q } }] }),
        ...(site && { asset: { site } }),
        ...(asset && { assetId: asset }),
      },
      asset: asset ?? "",
      ofAsset: !!asset,
      after,
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PROCEDURE", "WORK_ORDER", "METER"], readAgain);
  const procedures = data?.procedures;
  const isBusy = fetching || stale;

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Procedures`}</h1>
          <p>{procedures ? plural(procedures.totalCount, { one: "# procedure", other: "# procedures" }) : " "}</p>
        </div>
        {can("createProcedure") && (
          <Link className="button primary" to="/procedures/new" search={{ asset }}>
            <ListPlus className="icon" aria-hidden />
            {t`New procedure`}
          </Link>
        )}
      </div>
      <SectionTabs />
      <search className="filters">
        <SearchField placeholder={t`Procedure or asset`} aria-label={t`Filter procedures`} value={draft} onChange={setDraft} />
        <SiteSelect sites={data?.sites} site={site} onChange={(one) => choose({ site: one })} />
        {asset && (
          <button type="button" className="chip" aria-pressed onClick={() => choose({ asset: undefined })}>
            <span className="clip">{data?.asset?.name ?? t`One asset`}</span>
            <X className="icon" aria-hidden />
            <span className="hidden-text">, {t`show all assets`}</span>
          </button>
        )}
        <ButtonGroup className="chips" aria-label={t`Status`}>
          {states.map(([value, label]) => (
            <button key={label} type="button" className="chip" aria-pressed={status === value} onClick={() => choose({ status: value })}>
              {label}
            </button>
          ))}
        </ButtonGroup>
      </search>
      {!procedures && fetching && <LoadingCard lines={8} />}
      {!procedures && !fetching && <Failed error={error} onRetry={readAgain} />}
      {procedures && (
        <section className="card" aria-label={t`Procedures`} aria-busy={isBusy}>
          {procedures.nodes.length ? (
            <LongList rows={procedures.nodes} kind="procedure">
              {(one, item) => <ProcedureLine procedure={one} item={item} />}
            </LongList>
          ) : (
            <Empty icon={CalendarClock} title={q || site || asset || status ? t`No procedures match these filters` : t`No procedures yet`}>
              {t`A procedure holds the steps, parts and schedule of recurring work. Its work orders are created when they are due.`}
            </Empty>
          )}
          <More hasMore={procedures.pageInfo.hasNextPage} isBusy={isBusy} onMore={() => setAfter(procedures.pageInfo.endCursor)} />
        </section>
      )}
      <ZoneNote site={site} />
    </>
  );
}

function ProcedureLine({ procedure, item }: { procedure: Line; item: ItemProps }) {
  const { id, name, status, statutory, priority, asset, nextDue, meters } = procedure;
  const dueSince = meters.find((one) => one.dueSince)?.dueSince;
  const due = dueSince && (!nextDue || dueSince < nextDue) ? dueSince : nextDue;
  const isLate = status === "ACTIVE" && !!due && (!!dueSince || isOverdue(due, asset?.site));
  return (
    <li {...item} className="clickable procedure-line">
      <div className="grow">
        <Link className="title clip" to="/procedures/$id" params={{ id }}>
          {name}
        </Link>
        <div className="muted small clip">{[asset?.name ?? t`Deleted asset`, asset?.site].filter(Boolean).join(" · ")}</div>
        <div className="muted small clip">{triggersInShort(procedure)}</div>
      </div>
      {statutory && (
        <span className="status info">
          <Scale className="icon" aria-hidden />
          {t`Required by law`}
        </span>
      )}
      {["HIGH", "CRITICAL"].includes(priority) && <Status value={priority} />}
      <span className="small nowrap">
        {isLate ? (
          <span className="status warn">{t`Due ${day(due, asset?.site)}`}</span>
        ) : (
          <span className="muted">{due ? t`Due ${day(due, asset?.site)}` : t`No date`}</span>
        )}
      </span>
    </li>
  );
}
