import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import type { AdminPageQuery } from "../../generated/admin.js";
import { UpdateSettings, UpdateSite } from "../../generated/admin.js";
import { useChange } from "../../parts/change.js";
import { NumberField, TextField } from "../../parts/field.js";
import { ReportLinks } from "../../parts/report-links.js";
import { count, numberOf, numberText } from "../../parts/words.js";
import { setZones } from "../../parts/zones.js";

type Stock = NonNullable<AdminPageQuery["stockSettings"]>;
type Site = NonNullable<AdminPageQuery["sites"]>[number];

export const Settings = ({ data }: { data: AdminPageQuery }) => (
  <div className="grid-2">
    {data.stockSettings && <StockRules settings={data.stockSettings} />}
    <section className="card" aria-labelledby="sites">
      <header>
        <h2 id="sites">{t`Sites`}</h2>
      </header>
      <ul className="list">
        {data.sites?.map((site) => (
          <SiteLine key={site.id} site={site} />
        ))}
      </ul>
    </section>
    <ReportLinks links={data.reportLinks ?? []} sites={data.sites ?? []} />
  </div>
);

function StockRules({ settings }: { settings: Stock }) {
  const update = useChange(UpdateSettings);
  const [currency, setCurrency] = useState(settings.currency ?? "");
  const [writeOff, setWriteOff] = useState(numberText(settings.writeOffThreshold));
  const [counted, setCounted] = useState(numberText(settings.countThreshold));
  const [revalued, setRevalued] = useState(numberText(settings.revaluationThreshold));
  const [isAllowed, setAllowed] = useState(settings.bookDiscrepancyAllowed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = {
      currency: currency.trim() || null,
      writeOffThreshold: numberOf(writeOff) ?? null,
      countThreshold: numberOf(counted) ?? null,
      revaluationThreshold: numberOf(revalued) ?? null,
      bookDiscrepancyAllowed: isAllowed,
    };
    void update.run({ input, expectedVersion: settings.version }, t`Settings stored`);
  };
  return (
    <section className="card" aria-labelledby="stock-rules">
      <header>
        <h2 id="stock-rules">{t`Stock`}</h2>
      </header>
      <form className="body stack" onSubmit={submit}>
        <TextField
          label={t`Currency`}
          hint={t`Three letters, such as EUR`}
          value={currency}
          wrong={update.wrong.currency}
          onChange={(event) => setCurrency(event.target.value)}
        />
        <NumberField
          label={t`Write-offs of this value or more need approval`}
          min={0}
          value={writeOff}
          wrong={update.wrong.writeOffThreshold}
          onChange={(event) => setWriteOff(event.target.value)}
        />
        <NumberField
          label={t`Counts that differ by this value or more need approval`}
          min={0}
          value={counted}
          wrong={update.wrong.countThreshold}
          onChange={(event) => setCounted(event.target.value)}
        />
        <NumberField
          label={t`Unit cost reductions worth this value or more need approval`}
          min={0}
          value={revalued}
          wrong={update.wrong.revaluationThreshold}
          onChange={(event) => setRevalued(event.target.value)}
        />
        <label className="check">
          <input type="checkbox" checked={isAllowed} onChange={(event) => setAllowed(event.target.checked)} />
          {t`Allow usage beyond the book quantity, recorded as a discrepancy`}
        </label>
        <div className="actions">
          <button type="submit" className="button primary" disabled={update.isBusy}>
            {t`Save`}
          </button>
        </div>
      </form>
    </section>
  );
}

function SiteLine({ site }: { site: Site }) {
  const update = useChange(UpdateSite);
  const [isOpen, setOpen] = useState(false);
  const [displayName, setDisplayName] = useState(site.displayName);
  const [timeZone, setTimeZone] = useState(site.timeZone);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const variables = {
      name: site.name,
      input: { displayName: displayName.trim(), timeZone: timeZone.trim() },
      expectedVersion: site.version,
    };
    if (!(await update.run(variables, t`Site stored`))) return;
    setZones([{ name: site.name, timeZone: timeZone.trim() }]);
    setOpen(false);
  };
  if (!isOpen)
    return (
      <li>
        <div className="grow">
          <div className="strong clip">{site.displayName}</div>
          <div className="muted small clip">
            {site.name !== site.displayName && `${site.name} · `}
            {t`${site.timeZone} · ${count(site.assetCount)} assets`}
          </div>
        </div>
        <button type="button" className="button small" aria-label={t`Change ${site.displayName}`} onClick={() => setOpen(true)}>
          {t`Change`}
        </button>
      </li>
    );
  return (
    <li>
      <form className="stack grow" style={{ padding: "8px 0" }} onSubmit={submit}>
        <TextField
          label={t`Display name`}
          required
          value={displayName}
          wrong={update.wrong.displayName}
          onChange={(event) => setDisplayName(event.target.value)}
        />
        <TextField
          label={t`Time zone`}
          hint={t`Such as Europe/Copenhagen`}
          required
          value={timeZone}
          wrong={update.wrong.timeZone}
          onChange={(event) => setTimeZone(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button small" onClick={() => setOpen(false)}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button small primary" disabled={update.isBusy}>
            {t`Save`}
          </button>
        </div>
      </form>
    </li>
  );
}
