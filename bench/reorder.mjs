/**
 * Simulates a year of 500 parts under three rules: the computed reorder point, the former rule (an entered reorder point only) and a plain
 * minimum and maximum. The point is computed by the service's own SQL function `reorder_rule`, so that the simulation and the service cannot
 * differ. Demand is drawn from a fixed seed, and is the same for all rules. Usage: node bench/reorder.mjs
 */
import { readFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";

const parts = 500;
const history = 365;
const days = 365;

/** Mulberry32: a small generator with a fixed seed. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const random = randomOf(20261129);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const poisson = (mean) => {
  let k = 0;
  for (let p = random(); p > Math.exp(-mean); p *= random()) k++;
  return k;
};

/**
 * A part: issues per day, their size, a season (every fifth part), a price and a lead time. Most spare parts move slowly. The person who
 * enters a reorder point knows the lead time and the demand to within a factor of two, as the entered usage of real catalogues does.
 */
const plant = Array.from({ length: parts }, (_, i) => {
  const issuesPerYear = Math.exp(Math.log(4) + random() * Math.log(60));
  const size = random() < 0.6 ? 1 : 1 + Math.floor(random() * 8);
  const lead = 3 + Math.floor(random() * 42);
  const mean = (issuesPerYear * size) / 365;
  const guess = mean * 2 ** (2 * random() - 1);
  return {
    rate: issuesPerYear / 365,
    size,
    seasonal: i % 5 === 0,
    lead,
    leadDeviation: lead * 0.25,
    cost: Math.round(Math.exp(random() * 6) * 100) / 100,
    isCritical: random() < 0.15,
    mean,
    guess,
  };
});

const season = (part, day) => (part.seasonal ? 1 + 0.8 * Math.sin((2 * Math.PI * day) / 365) : 1);
/** Demand by day: the history, then the simulated year. */
const demand = plant.map((part) => Array.from({ length: history + days }, (_, day) => poisson(part.rate * season(part, day)) * part.size));
/** Lead times of the orders of each part, in order, the same under all rules. */
const leads = plant.map((part) => Array.from({ length: 400 }, () => Math.max(1, Math.round(part.lead + normal() * part.leadDeviation))));

const migration = readFileSync(new URL("../prisma/migrations/20261129100000_reorder_rule/migration.sql", import.meta.url), "utf8");
const db = new PGlite();
await db.exec(migration.slice(migration.indexOf("-- The quantile of the standard normal")));

/** The computed points of all parts on a day, in one statement. Sums are those of the last 365 days, as in the ledger. */
async function computedPoints(day, measured) {
  const rows = plant.map((part, i) => {
    const last = demand[i].slice(day - 365, day);
    const found = measured[i].slice(-20);
    const mean = found.reduce((a, b) => a + b, 0) / found.length;
    const variance = found.length >= 3 ? found.reduce((a, b) => a + (b - mean) ** 2, 0) / (found.length - 1) : null;
    return {
      place: i,
      used: last.reduce((a, b) => a + b, 0),
      squares: last.reduce((a, b) => a + b * b, 0),
      issues: last.reduce((a, b) => a + b / part.size, 0),
      lead: part.lead,
      variance,
      level: part.isCritical ? 0.98 : 0.95,
    };
  });
  const { rows: points } = await db.query(
    `select r.point, r.daily from jsonb_to_recordset($1::jsonb) as e(used float8, squares float8, issues bigint, lead float8, variance float8, level float8, place int)
     cross join lateral reorder_rule(e.used, e.squares, e.issues, 365, null, 0, e.lead, e.variance, e.level) r order by e.place`,
    [JSON.stringify(rows)],
  );
  return points;
}

/** Simulates the year. `rule(i, computed)` returns the reorder point, and the level to order up to, or nothing to order never. */
async function simulate(rule) {
  const measured = plant.map(() => []);
  const state = plant.map((part) => ({ stock: Math.ceil(part.guess * part.lead * 2) + part.size, onOrder: [], orders: 0 }));
  let stockOutDays = 0;
  let missed = 0;
  let asked = 0;
  let missedCritical = 0;
  let value = 0;
  let orders = 0;
  for (let day = history; day < history + days; day++) {
    const computed = await computedPoints(day, measured);
    for (const [i, part] of plant.entries()) {
      const own = state[i];
      for (const order of own.onOrder.filter(({ arrives }) => arrives <= day)) {
        own.stock += order.quantity;
        measured[i].push(order.lead);
      }
      own.onOrder = own.onOrder.filter(({ arrives }) => arrives > day);
      const wanted = demand[i][day];
      const issued = Math.min(wanted, own.stock);
      own.stock -= issued;
      if (wanted > 0) asked++;
      if (issued < wanted) {
        missed++;
        if (part.isCritical) missedCritical++;
      }
      if (own.stock === 0) stockOutDays++;
      value += own.stock * part.cost;
      const projected = own.stock + own.onOrder.reduce((sum, { quantity }) => sum + quantity, 0);
      const found = rule(part, computed[i]);
      if (!found || projected > found.point) continue;
      const lead = leads[i][own.orders++];
      own.onOrder.push({ quantity: Math.max(1, Math.ceil(found.upTo - projected)), arrives: day + lead, lead });
      orders++;
    }
  }
  return { asked, missed, missedCritical, served: 1 - missed / asked, stockOutDays, meanValue: value / days, orders };
}

const rules = {
  "computed reorder point": (part, { point, daily }) => point !== null && { point, upTo: point + daily * part.lead },
  // The former rule has no point of its own: somebody enters the demand of the lead time, and half of it again as a reserve.
  "entered reorder point (former)": (part, { daily }) => {
    const point = Math.ceil(part.guess * part.lead * 1.5);
    return { point, upTo: point + daily * part.lead };
  },
  // Minimum: a month of the guessed use. Maximum: three months.
  "minimum and maximum": (part) => ({ point: Math.ceil(part.guess * 30), upTo: Math.ceil(part.guess * 90) }),
};

const show = (n) => Math.round(n).toLocaleString("en");
console.log(
  "| rule | demands served | not served (critical) | days at 0, all parts | mean stock value | orders |\n|---|---|---|---|---|---|",
);
for (const [name, rule] of Object.entries(rules)) {
  const { served, missed, missedCritical, stockOutDays, meanValue, orders } = await simulate(rule);
  console.log(
    `| ${name} | ${(served * 100).toFixed(1)} % | ${show(missed)} (${show(missedCritical)}) | ${show(stockOutDays)} | ${show(meanValue)} | ${show(orders)} |`,
  );
}
await db.close();
