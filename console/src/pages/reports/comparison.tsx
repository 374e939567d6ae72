/** Up to four sites, areas or types of assets side by side, each with the period before. */
import { t } from "@lingui/core/macro";
import { Scale } from "lucide-react";
import { Columns } from "../../parts/columns.js";
import { plus } from "../../parts/decimals.js";
import { Explanation } from "../../parts/explanation.js";
import { Empty } from "../../parts/states.js";
import { money, percent, wordOf } from "../../parts/words.js";
import { monthColumns } from "./charts.js";
import { changeOf, differenceOf, type Measure, measures } from "./measures.js";
import type { Figures, Scope } from "./use-figures.js";

const most = 4;
const tones = ["info", "warn", "good", "calm"];

export type By = "site" | "area" | "type";

/** Name of an area in the address, since areas of two sites may share a name. */
const placeName = (...names: string[]) => names.map(encodeURIComponent).join("/");

/** The assets that a chosen name stands for. */
export const scopeBy =
  (by: Exclude<By, "site"> | undefined) =>
  (name: string): Scope => {
    if (by === "type") return { type: name };
    if (!by) return { site: name };
    const [site = "", area = ""] = name.split("/").map(decoded);
    return { site, area };
  };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Props {
  names: string[];
  by: By;
  /** Figures of each name: now, before, now, before, and so on. */
  data: (Figures | undefined)[];
  /** First days of the months of the period. */
  months: string[];
  /** Any figures, with the sites and types to choose. */
  choices: Figures;
  onChoose: (names: string[]) => void;
  onBy: (by: Exclude<By, "site"> | undefined) => void;
  onOpen: (rows: string, name: string, when?: "before") => void;
}

export function Comparison({ names, by, data, months, choices, onChoose, onBy, onOpen }: Props) {
  const currency = choices.stockSettings?.currency;
  const options = optionsOf(choices)[by];
  const labelOf = (name: string) => options.find(([one]) => one === name)?.[1] ?? name;
  const columns = names.map((name, index) => ({ name, label: labelOf(name), now: data[index * 2], before: data[index * 2 + 1] }));
  return (
    <>
      <section className="card" aria-label={t`Choice`}>
        <div className="body stack">
          <label className="row">
            <span className="label">{t`Compare`}</span>
            <select className="input auto" value={by} onChange={(event) => onBy(byWord(event.target.value))}>
              <option value="site">{t`Sites`}</option>
              <option value="area">{t`Areas`}</option>
              <option value="type">{t`Types of assets`}</option>
            </select>
          </label>
          <fieldset className="compared">
            <legend className="small muted">{legends[by]}</legend>
            <div className="row wrap">
              {options.map(([name, label]) => (
                <label key={name} className="row">
                  <input
                    type="checkbox"
                    checked={names.includes(name)}
                    disabled={names.length >= most && !names.includes(name)}
                    onChange={(event) => onChoose(event.target.checked ? [...names, name] : names.filter((one) => one !== name))}
                  />
                  {label}
                </label>
              ))}
            </div>
          </fieldset>
        </div>
      </section>
      {!names.length && (
        <div className="card">
          <Empty icon={Scale} title={t`Nothing chosen`}>
            {t`Choose the sites, areas or types of assets that stand side by side. The address keeps the choice.`}
          </Empty>
        </div>
      )}
      {names.length > 0 && (
        <section className="card" aria-label={t`Comparison`}>
          <div className="table-wrap">
            <table className="comparison">
              <caption className="hidden-text">{t`Figures side by side, with the period before`}</caption>
              <thead>
                <tr>
                  <th scope="col">{t`Figure`}</th>
                  {columns.map(({ name, label }) => (
                    <th key={name} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {measures.map((measure) => (
                  <tr key={measure.id}>
                    <th scope="row">
                      {measure.label}
                      <div className="muted small">{extremesOf(measure, columns)}</div>
                      <Explanation of={measure.label} text={measure.explanation} />
                    </th>
                    {columns.map(({ name, label, now, before }) => (
                      <td key={name}>
                        {now && (
                          <Cell
                            measure={measure}
                            label={label}
                            now={now}
                            before={before}
                            currency={currency}
                            onOpen={(when) => onOpen(measure.id, name, when)}
                          />
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {names.length > 0 && <ComparedCharts columns={columns} months={months} currency={currency} />}
    </>
  );
}

const legends: Record<By, string> = {
  site: t`Up to four sites`,
  area: t`Up to four areas`,
  type: t`Up to four types of assets`,
};

const byWord = (value: string) => (value === "type" || value === "area" ? value : undefined);

function optionsOf({ sites, areas, assetGroups }: Figures): Record<By, [name: string, label: string][]> {
  const siteNames = new Map((sites ?? []).map((one) => [one.name, one.displayName]));
  const named = (areas ?? []).flatMap(({ site, area }): [string, string][] =>
    site != null && area ? [[placeName(site, area), `${siteNames.get(site) ?? site} · ${area}`]] : [],
  );
  return {
    site: [...siteNames],
    area: named.sort(([, a], [, b]) => a.localeCompare(b)),
    type: (assetGroups ?? []).flatMap(({ type }): [string, string][] => (type ? [[type, wordOf(type)]] : [])),
  };
}

interface Compared {
  name: string;
  label: string;
  now: Figures | undefined;
  before: Figures | undefined;
}

/** `North: 34% more than South`, of the highest and the lowest value. */
function extremesOf({ readOf, isShare }: Measure, columns: Compared[]): string | undefined {
  const known = columns.flatMap(({ label, now }) => {
    const value = now && readOf(now);
    return value == null ? [] : [{ label, value }];
  });
  const sorted = known.sort((a, b) => b.value - a.value);
  const [high, low] = [sorted[0], sorted.at(-1)];
  if (!high || !low || high === low) return undefined;
  return `${high.label}: ${differenceOf(high.value, low.value, isShare)} ${low.label}`;
}

interface CellProps {
  measure: Measure;
  label: string;
  now: Figures;
  before: Figures | undefined;
  currency: string | null | undefined;
  onOpen: (when?: "before") => void;
}

function Cell({ measure, label, now, before, currency, onOpen }: CellProps) {
  const value = measure.readOf(now);
  const change = before && changeOf(measure, now, before, currency);
  return (
    <>
      <button
        type="button"
        className="opens strong num"
        aria-haspopup="dialog"
        aria-label={`${measure.label}, ${label}: ${value == null ? t`unknown` : measure.format(value, currency)}`}
        onClick={() => onOpen()}
      >
        {value == null ? t`Unknown` : measure.format(value, currency)}
      </button>
      {value == null && <div className="muted small">{measure.unknown?.(now)}</div>}
      {change && (
        <button
          type="button"
          className="opens small muted"
          aria-haspopup="dialog"
          aria-label={`${measure.label}, ${label}, ${change}`}
          onClick={() => onOpen("before")}
        >
          {change}
        </button>
      )}
    </>
  );
}

function ComparedCharts({ columns, months, currency }: { columns: Compared[]; months: string[]; currency: string | null | undefined }) {
  const trendMonths = [...new Set(columns.flatMap(({ now }) => (now?.reliability?.trend ?? []).map(({ month }) => month)))].sort();
  const seriesOf = (readOf: (figures: Figures) => (number | null)[]) =>
    columns.flatMap(({ label, now }, index) => (now ? [{ label, tone: tones[index]!, values: readOf(now) }] : []));
  return (
    <div className="grid-2">
      <section className="card" aria-label={t`Cost by month, compared`}>
        <header>
          <h2>{t`Cost by month`}</h2>
        </header>
        <div className="body">
          <Columns
            label={t`Cost of completed work by month`}
            unit={currency ? t`Cost in ${currency}` : t`Cost`}
            by={t`Month`}
            columns={monthColumns(months, "month")}
            series={seriesOf(({ work }) =>
              months.map((month) =>
                plus(...(work ?? []).filter(({ completedMonth }) => completedMonth === month).map((one) => one.totalCost)),
              ),
            )}
            format={(value) => money(value, currency)}
            isGrouped
          />
        </div>
      </section>
      <section className="card" aria-label={t`Availability by month, compared`}>
        <header>
          <h2>{t`Availability by month`}</h2>
        </header>
        <div className="body">
          <Columns
            label={t`Availability by month`}
            unit={t`% of required time`}
            by={t`Month`}
            columns={monthColumns(
              trendMonths.map((month) => month.slice(0, 10)),
              "downtime",
            )}
            series={seriesOf(({ reliability }) =>
              trendMonths.map((month) => reliability?.trend.find((one) => one.month === month)?.availability ?? null),
            )}
            format={percent}
            top={100}
            isGrouped
          />
        </div>
      </section>
    </div>
  );
}
