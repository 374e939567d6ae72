// Measures how request times grow with rows, tenants and depth. Writes the section "Growth" of docs/performance.md.
import { cases } from "./cases.mjs";
import { loadTenant } from "./data.mjs";
import { newKey, onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";
import { growthAim, number, rounded, withinAim } from "./report.mjs";
import { closeConnections, load, median, send } from "./requests.mjs";

const neighbours = 199;
const neighbour = { assets: 50, components: 10, parts: 20, sites: 2, movements: 10 };
const levels = [1, 2, 4, 6];
const levelName = (level) => `${level} level${level === 1 ? "" : "s"}`;
/** Databases beside the whole one: a tenth of the rows, and all rows beside neighbours. */
const [few, beside] = ["few", "beside"].map((name) => `gateway_bench_${process.pid}_${name}`);

/** Runs the loads in turn, in rounds. Returns the results of each load. */
async function inTurn(loads, rounds) {
  for (const one of loads) await one();
  const results = loads.map(() => []);
  for (let round = 0; round < rounds; round++) for (const [i, one] of loads.entries()) results[i].push(await one());
  return results;
}

/** Uses medians, which other processes on the machine disturb less than rates. */
const timeOf = (results) => median(results.map(({ took }) => median(took)));
const timeRatio = (results, base) => median(results.map(({ took }, i) => median(took) / median(base[i].took)));

const graphql = (headers, query) => () => ({ method: "POST", path: "/graphql", headers, body: { query } });
const descendants = (id) => `{ component(id: "${id}") { descendants { id name type level parentId } } }`;
/** Links of the chains down to a level: 20 objects per level. */
const links = (level) =>
  `{ component(id: "d") { ${Array.from({ length: level }, (_, i) => `children(first: ${i ? 1 : 20}) { nodes { id name `).join("")} ${"} }".repeat(level)} } }`;

/** Requests by name. Each does the same work in a small database as in a large one. */
async function requestsOf(address, key, size) {
  const headers = { authorization: `Bearer ${key}` };
  const known = Object.fromEntries(cases({ key, ...size }).map(({ name, requests }) => [name, requests.gateway]));
  // A token without an offset: with an offset, the database reads rows only to skip them.
  const { nextToken } = JSON.parse(await send(address, { path: `/assets?limit=1&offset=${size.assets / 2}`, headers }));
  return {
    nested: known["nested, 550 objects"],
    "asset by id": known["asset by id"],
    "GET /assets, 100 after the middle": () => ({ path: `/assets?limit=100&nextToken=${encodeURIComponent(nextToken)}`, headers }),
    "stock adjustment, 64 parts": known["stock adjustment, 64 parts"],
    "tree of 1,000": graphql(headers, descendants("t0")),
    "tree of 10,000": graphql(headers, descendants("t")),
    ...Object.fromEntries(levels.map((level) => [levelName(level), graphql(headers, links(level))])),
  };
}

/** `many` is a database of `size`, which `key` opens; the smaller one has a tenth of its assets and parts. One client sends the requests. */
export async function growth({ size, many, key, rounds, seconds }) {
  const fewer = { ...size, assets: size.assets / 10, parts: Math.max(64, size.parts / 10) };
  const gateways = [];
  try {
    await onServer(`create database ${few}`);
    const keys = { [few]: newKey(urlOf(few), "big"), [many]: key, [beside]: key };
    await loadTenant(urlOf(few), "big", fewer);
    await onServer(`create database ${beside} template ${many}`);
    for (let n = 1; n <= neighbours; n++)
      await loadTenant(urlOf(beside), `neighbour${n}`, neighbour, { tree: false, vacuum: n === neighbours });
    const places = [];
    for (const name of [few, many, beside]) {
      const gateway = await spawnGateway(urlOf(name));
      gateways.push(gateway);
      const { address } = gateway;
      places.push({ address, requests: await requestsOf(address, keys[name], name === few ? fewer : size) });
    }
    const [, whole] = places;
    const loadOf = ({ address, requests }, name) => {
      return () => load(address, requests[name], { clients: 1, seconds });
    };

    const rows = {};
    for (const name of ["nested", "asset by id", "GET /assets, 100 after the middle", "stock adjustment, 64 parts", "tree of 1,000"]) {
      const [inFew, inMany, inBeside] = await inTurn(
        places.map((place) => loadOf(place, name)),
        rounds,
      );
      rows[name] = {
        few: timeOf(inFew),
        many: timeOf(inMany),
        byRows: timeRatio(inMany, inFew),
        beside: timeOf(inBeside),
        byTenants: timeRatio(inBeside, inMany),
      };
    }

    const byDepth = async (objects) => {
      const results = await inTurn(
        Object.keys(objects).map((name) => loadOf(whole, name)),
        rounds,
      );
      return Object.fromEntries(
        Object.entries(objects).map(([name, count], i) => {
          const time = timeOf(results[i]);
          return [name, { objects: count, ms: time, perObject: (time * 1000) / count }];
        }),
      );
    };
    const depth = await byDepth(Object.fromEntries(levels.map((level) => [levelName(level), 20 * level])));
    const trees = await byDepth({ "tree of 1,000": 1_110, "tree of 10,000": 11_110 });

    return {
      assets: [fewer.assets, size.assets],
      tenants: [1, 1 + neighbours],
      rows,
      depth: { ...depth, ...trees },
    };
  } finally {
    closeConnections();
    for (const gateway of gateways) await gateway.stop();
    for (const name of [few, beside]) await onServer(`drop database if exists ${name} with (force)`);
  }
}

/** The section of docs/performance.md. */
export function growthReport({ assets, tenants, rows, depth }) {
  const beside = number(tenants[1] - 1);
  const withAim = (ratio) => withinAim(ratio, growthAim);
  const byRows = Object.entries(rows).map(
    ([name, { few, many, byRows, beside, byTenants }]) =>
      `| ${name} | ${rounded(few)} | ${rounded(many)} | ${withAim(byRows)} | ${rounded(beside)} | ${withAim(byTenants)} |`,
  );
  const byDepth = Object.entries(depth).map(
    ([name, { objects, ms, perObject }]) => `| ${name} | ${number(objects)} | ${rounded(ms)} | ${rounded(perObject)} |`,
  );
  return `## Growth

![How the gateway's times grow](performance-growth.svg)

Only the gateway is measured, alternating between databases of different sizes.
Times are the median of one client's requests, and ratios are the median of the rounds.
The page follows a token, because a page at an offset also reads the rows before it.

| request | ms with ${number(assets[0])} assets | with ${number(assets[1])} | ratio | ms beside ${beside} other tenants | ratio |
|---|---|---|---|---|---|
${byRows.join("\n")}

| children of a component, nested; descendants | objects | ms | µs an object |
|---|---|---|---|
${byDepth.join("\n")}
`;
}
