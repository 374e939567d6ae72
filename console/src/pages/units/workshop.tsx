/** Workshop: removed units to inspect, units in repair and serviceable ones. A search finds any unit by its serial number. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import type { UnitFilter } from "../../../../packages/client/src/generated/schema.js";
import { UnitsFound, Workshop, type WorkshopQuery } from "../../generated/units.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { usePlaces } from "../../parts/places.js";
import { SearchField } from "../../parts/search-field.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { count } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Conflicts } from "./conflicts.js";
import { placeText } from "./known-choice.js";
import { UnitVerbs } from "./move-unit.js";
import { makerOf, type UnitOfList } from "./types.js";
import { UnitState } from "./unit-state.js";

const columns = ["toInspect", "inRepair", "serviceable"] as const;
type Column = (typeof columns)[number];
const filters: Record<Column, UnitFilter> = {
  toInspect: { state: "REMOVED", condition: "UNSERVICEABLE" },
  inRepair: { state: "IN_REPAIR" },
  serviceable: { state: "REMOVED", not: { condition: "UNSERVICEABLE" } },
};
const titles: Record<Column, string> = { toInspect: t`To inspect`, inRepair: t`In repair`, serviceable: t`Serviceable` };

export function WorkshopPage(): ReactNode {
  const { site, q } = useSearch({ from: "/units" });
  const navigate = useNavigate({ from: "/units" });
  const sites = usePlaces();
  const [draft, setDraft] = useDraft(
    q ?? "",
    (text) => void navigate({ search: (was) => ({ ...was, q: text.trim() || undefined }), replace: true }),
  );
  useTitle(t`Workshop`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Workshop`}</h1>
          <p>{t`Units that were removed, from their inspection until they are installed again.`}</p>
        </div>
      </div>
      <div className="row wrap" style={{ marginBottom: 14 }}>
        <SearchField placeholder={t`Serial number …`} aria-label={t`Find a unit by its serial number`} value={draft} onChange={setDraft} />
        {sites.length > 1 && (
          <SiteSelect
            sites={sites}
            site={site}
            onChange={(one) => void navigate({ search: (was) => ({ ...was, site: one }), replace: true })}
          />
        )}
      </div>
      {q ? <Found q={q} site={site} /> : <Board site={site} />}
      <ZoneNote site={site} />
    </>
  );
}

function Board({ site }: { site: string | undefined }) {
  const [page, setPage] = useState<{ site?: string; after: Partial<Record<Column, string | null>> }>({ site, after: {} });
  const after = page.site === site ? page.after : {};
  const { can } = useSession();
  const filterOf = (column: Column): UnitFilter => ({ ...filters[column], site });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Workshop,
    variables: {
      toInspect: filterOf("toInspect"),
      inRepair: filterOf("inRepair"),
      serviceable: filterOf("serviceable"),
      after1: after.toInspect,
      after2: after.inRepair,
      after3: after.serviceable,
      resolves: can("resolveUnitConflict"),
    },
  });
  const readAgain = useCallback(() => {
    setPage({ site, after: {} });
    retry({ requestPolicy: "network-only" });
  }, [site, retry]);
  useLiveData(["UNIT"], readAgain);
  if (!data) return fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <>
      <div className="workshop" aria-busy={fetching || stale}>
        {columns.map((column) => {
          const list = data[column];
          return (
            <section key={column} className="card" aria-label={titles[column]}>
              <header>
                <h2>{titles[column]}</h2>
                <span className="muted small num">{list && count(list.totalCount)}</span>
              </header>
              {list?.nodes.length ? (
                <UnitLines units={list.nodes} isPlain onDone={readAgain} />
              ) : (
                <p className="muted" style={{ padding: "2px 18px 18px" }}>
                  {t`No units.`}
                </p>
              )}
              {list && (
                <More
                  hasMore={list.pageInfo.hasNextPage}
                  isBusy={fetching || stale}
                  onMore={() => setPage({ site, after: { ...after, [column]: list.pageInfo.endCursor } })}
                />
              )}
            </section>
          );
        })}
      </div>
      <Conflicts list={data.unitConflicts} onDone={readAgain} />
    </>
  );
}

/** Units in any state. */
function Found({ q, site }: { q: string; site: string | undefined }) {
  const list = JSON.stringify([q, site]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: UnitsFound,
    variables: { filter: { serialNumberContains: q, site }, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["UNIT"], readAgain);
  const units: WorkshopQuery["toInspect"] = data?.units ?? null;
  if (!units) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <section className="card" aria-label={t`Units found`} aria-busy={fetching || stale}>
      {units.nodes.length ? (
        <UnitLines units={units.nodes} onDone={readAgain} />
      ) : (
        <Empty icon={SearchX} title={t`No unit has this number`} />
      )}
      <More hasMore={units.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(units.pageInfo.endCursor)} />
    </section>
  );
}

interface LinesProps {
  units: UnitOfList[];
  /** In a list of one state. */
  isPlain?: boolean;
  onDone: () => void;
}

const UnitLines = ({ units, isPlain, onDone }: LinesProps) => (
  <ul className="list">
    {units.map((unit) => (
      <li key={unit.id} className="clickable unit-line">
        <div className="grow stack tight">
          <span className="row wrap">
            <Link className="title mono anywhere" to="/units/$id" params={{ id: unit.id }}>
              {unit.serialNumber}
            </Link>
            <span className="muted small anywhere">{makerOf(unit)}</span>
            {!isPlain && unit.whereabouts && <UnitState period={unit.whereabouts} />}
          </span>
          <span className="muted small anywhere">{placeText(unit)}</span>
          {unit.whereabouts?.supplier && <span className="small">{t`Repaired by ${unit.whereabouts.supplier}`}</span>}
          {unit.whereabouts?.notes && <span className="small said">{unit.whereabouts.notes}</span>}
        </div>
        <UnitVerbs unit={unit} present={unit.whereabouts} onDone={onDone} />
      </li>
    ))}
  </ul>
);
