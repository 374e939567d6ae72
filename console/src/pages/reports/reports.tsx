/** Reports for a period: figures with their records and the period before, charts, and a comparison of sites, areas or types of assets. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useQuery } from "urql";
import { PurchaseFigures as Document } from "../../generated/purchase-figures.js";
import { useTitle } from "../../parts/hooks.js";
import { NoCurrency } from "../../parts/no-currency.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { day } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { Charts } from "./charts.js";
import { Comparison, scopeBy } from "./comparison.js";
import { Tiles } from "./figures.js";
import { type Months, monthsOf, periods, periodsOf } from "./period.js";
import { PurchaseFigures } from "./purchase-figures.js";
import { Rows } from "./rows.js";
import { type Scope, useFigures, variablesOf } from "./use-figures.js";

export function ReportsPage(): ReactNode {
  const search = useSearch({ from: "/reports" });
  const { site, months = "12", view, by, with: chosen, rows, of, when } = search;
  const navigate = useNavigate({ from: "/reports" });
  const choose = (change: Partial<typeof search>) => void navigate({ search: (was) => ({ ...was, ...change }), replace: true });
  const { can } = useSession();
  const isCompared = view === "compare";
  const isPurchasing = view === "purchases";
  const { current, before } = useMemo(() => {
    // The start of the hour, so that the request's variables stay the same.
    const now = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    return periodsOf(months, now, isCompared ? undefined : site);
  }, [months, site, isCompared]);
  const scopeOf = scopeBy(by);
  const scopes: Scope[] = isCompared ? (chosen ?? []).map(scopeOf) : [site === undefined ? {} : { site }];
  // The choices of the comparison are read with the whole plant.
  const requests = (scopes.length ? scopes : [{}]).flatMap((scope) =>
    [current, before].map((period) => variablesOf(scope, period, !isCompared && period === current)),
  );
  const { data, error, isBusy, retry } = useFigures(requests, isPurchasing || !can("workOrders"));
  const [purchasing, retryPurchasing] = useQuery({ query: Document, variables: { ...current, site }, pause: !isPurchasing });
  const purchases = isPurchasing ? purchasing.data : undefined;
  useTitle(t`Reports`);
  const [first, second] = data;
  const currency = first?.stockSettings?.currency;
  const openRows = (kind: string, name?: string, period?: "before") =>
    void navigate({ search: (was) => ({ ...was, rows: kind, of: name, when: period }), resetScroll: false });
  const opened = of === undefined ? (scopes[0] ?? {}) : scopeOf(of);
  const openedAt = of === undefined ? 0 : (chosen ?? []).indexOf(of) * 2;

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Reports`}</h1>
          <p>
            {isPurchasing
              ? `${day(current.from, site)} – ${day(current.to, site)}`
              : t`${day(current.from, site)} – ${day(current.to, site)}, compared with ${day(before.from, site)} – ${day(before.to, site)}`}
          </p>
        </div>
        <div className="row wrap">
          {!isCompared && (
            <SiteSelect
              className="input auto"
              sites={(purchases ?? first)?.sites}
              site={site}
              onChange={(chosen) => choose({ site: chosen })}
            />
          )}
          <select
            className="input auto"
            aria-label={t`Period`}
            value={months}
            onChange={(event) => choose({ months: event.target.value as Months })}
          >
            {Object.entries(periods).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </div>
      </div>
      <nav className="tabs" aria-label={t`Reports`}>
        {([undefined, "compare", "purchases"] as const).map((name) => (
          <Link
            key={name ?? ""}
            to="/reports"
            search={(was) => ({ ...was, view: name, rows: undefined, of: undefined, when: undefined })}
            replace
            activeOptions={{ exact: true, explicitUndefined: true }}
            aria-current={view === name ? "page" : undefined}
          >
            {name === "purchases" ? t`Purchasing` : name ? t`Compare` : t`Overview`}
          </Link>
        ))}
      </nav>
      {!first && isBusy && <LoadingCard lines={12} />}
      {error && !(first && second) && <Failed error={error} onRetry={retry} />}
      {isPurchasing && !purchases && purchasing.fetching && <LoadingCard lines={12} />}
      {isPurchasing && !purchases && purchasing.error && (
        <Failed error={purchasing.error} onRetry={() => retryPurchasing({ requestPolicy: "network-only" })} />
      )}
      {purchases && (
        <div className="stack" aria-busy={purchasing.fetching}>
          <NoCurrency currency={purchases.stockSettings?.currency} />
          <PurchaseFigures data={purchases} currency={purchases.stockSettings?.currency} />
        </div>
      )}
      {first && !isCompared && !isPurchasing && (
        <div className="stack" aria-busy={isBusy}>
          <NoCurrency currency={currency} />
          <Tiles data={first} before={second} currency={currency} onOpen={openRows} />
          <Charts data={first} months={monthsOf(current, site)} currency={currency} onOpen={openRows} />
        </div>
      )}
      {first && isCompared && (
        <div className="stack" aria-busy={isBusy}>
          <Comparison
            names={chosen ?? []}
            by={by ?? "site"}
            data={chosen ? data : []}
            months={monthsOf(current, undefined)}
            choices={first}
            onChoose={(names) => choose({ with: names.length ? names : undefined })}
            onBy={(word) => choose({ by: word, with: undefined })}
            onOpen={openRows}
          />
        </div>
      )}
      <ZoneNote site={isCompared ? undefined : site} />
      {rows && (
        <Rows
          rows={rows}
          scope={opened}
          period={when === "before" ? before : current}
          data={data[openedAt + (when === "before" ? 1 : 0)]}
          currency={currency}
          onClose={() => choose({ rows: undefined, of: undefined, when: undefined })}
        />
      )}
    </>
  );
}
