// Measures how request times grow with rows, tenants, depth and connections. `node growth.mjs` prints the result; see README.md.
import { pathToFileURL } from "node:url";
import { cases } from "./cases.mjs";
import { loadTenant, sizes } from "./data.mjs";
import { newKey, onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";
import { closeConnections, load, median, quantile, send } from "./requests.mjs";

const neighbours = 199;
const neighbour = { assets: 50, components: 10, parts: 20, sites: 2, movements: 10 };
const levels = [1, 2, 4, 6];
const levelName = (level) => `${level} level${level === 1 ? "" : "s"}`;
const connections = [1, 4, 8, 16, 32, 64];
/** Three databases: a tenth of the rows, all rows, and all rows beside neighbours. */
const names = ["few", "many", "beside"].map((name) => `gateway_bench_${process.pid}_${name}`);

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

/**
 * `size` is the larger database; the smaller one has a tenth of its assets and parts. One client sends the requests, except in the
 * connections case.
 */
export async function growth({ size, rounds, seconds }) {
  const fewer = { ...size, assets: size.assets / 10, parts: Math.max(64, size.parts / 10) };
  const gateways = [];
  try {
    const [few, many, beside] = names;
    const keys = {};
    for (const [name, rows] of [
      [few, fewer],
      [many, size],
    ]) {
      await onServer(`create database ${name}`);
      keys[name] = newKey(urlOf(name), "big");
      await loadTenant(urlOf(name), "big", rows);
    }
    await onServer(`create database ${beside} template ${many}`);
    keys[beside] = keys[many];
    for (let n = 1; n <= neighbours; n++)
      await loadTenant(urlOf(beside), `neighbour${n}`, neighbour, { tree: false, vacuum: n === neighbours });
    const places = [];
    for (const name of names) {
      const gateway = await spawnGateway(urlOf(name));
      gateways.push(gateway);
      const { address } = gateway;
      places.push({ address, requests: await requestsOf(address, keys[name], name === few ? fewer : size) });
    }
    const [, whole] = places;
    const loadOf = ({ address, requests }, name, clients) => {
      return () => load(address, requests[name], { clients, seconds });
    };

    const rows = {};
    for (const name of ["nested", "asset by id", "GET /assets, 100 after the middle", "stock adjustment, 64 parts", "tree of 1,000"]) {
      const [inFew, inMany, inBeside] = await inTurn(
        places.map((place) => loadOf(place, name, 1)),
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
        Object.keys(objects).map((name) => loadOf(whole, name, 1)),
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

    const byConnections = {};
    for (const name of ["nested", "asset by id", "stock adjustment, 64 parts"]) {
      const results = await inTurn(
        connections.map((clients) => loadOf(whole, name, clients)),
        rounds,
      );
      byConnections[name] = connections.map((clients, i) => ({
        clients,
        rate: median(results[i].map(({ rate }) => rate)),
        p95: median(results[i].map(({ took }) => quantile(took, 0.95))),
      }));
    }
    return {
      assets: [fewer.assets, size.assets],
      tenants: [1, 1 + neighbours],
      rows,
      depth: { ...depth, ...trees },
      connections: byConnections,
    };
  } finally {
    closeConnections();
    for (const gateway of gateways) await gateway.stop();
    for (const name of names) await onServer(`drop database if exists ${name} with (force)`);
  }
}

const rounded = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value < 100 ? +value.toFixed(2) : Math.round(value)]));

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [rounds, seconds] = [Number(process.env.ROUNDS ?? 10), Number(process.env.SECONDS ?? 0.4)];
  const grown = await growth({ size: sizes[process.env.SIZE ?? "full"], rounds, seconds });
  for (const part of [grown.rows, grown.depth])
    console.table(Object.fromEntries(Object.entries(part).map(([name, figures]) => [name, rounded(figures)])));
  for (const [name, figures] of Object.entries(grown.connections)) {
    console.log(name);
    console.table(figures.map(rounded));
  }
}
