// RSS and heap after garbage collection of a gateway over REQUESTS (1,000,000) mixed requests. Expected: the heap in the last quarter is
// within 10 % of the second.
import { cases } from "../cases.mjs";
import { loadTenant, sizes } from "../data.mjs";
import { spawnGateway } from "../gateway.mjs";
import { closeConnections, load, median } from "../requests.mjs";

const requests = Number(process.env.REQUESTS ?? 1_000_000);
const samples = 20;

export default async function memory({ newTenant, databaseUrl }) {
  const { headers } = await newTenant("memory");
  await loadTenant(databaseUrl, "memory", sizes.small);
  const known = Object.fromEntries(
    cases({ key: headers.authorization.replace("Bearer ", ""), ...sizes.small }).map(({ name, requests }) => [name, requests.gateway]),
  );
  const query =
    "{ assets(first: 5) { nodes { id name components(first: 5) { nodes { id name children(first: 5) { nodes { id name } } } } } } }";
  const reads = [
    () => ({ method: "POST", path: "/graphql", headers, body: { query } }),
    known["asset by id"],
    known["GET /assets/{id}"],
    () => ({ path: "/assets?limit=20", headers }),
  ];
  const adjustment = known["stock adjustment, 64 parts"];
  const gateway = await spawnGateway(databaseUrl);
  try {
    const rows = {};
    for (let sample = 1; sample <= samples; sample++) {
      const { rate } = await load(gateway.address, (i) => (i % 20 ? reads[i % 4](i) : adjustment(i / 20)), {
        clients: 8,
        seconds: 0,
        least: requests / samples,
      });
      const residentMb = Math.round(gateway.residentMb());
      rows[(sample * requests) / samples] = {
        "RSS MB": residentMb,
        "heap MB": +(await gateway.heapMb()).toFixed(1),
        "req/s": Math.round(rate),
      };
    }
    const quarter = (n, name) => {
      return median(
        Object.values(rows)
          .slice(((n - 1) * samples) / 4, (n * samples) / 4)
          .map((row) => row[name]),
      );
    };
    const grown = (name) => +(quarter(4, name) / quarter(2, name)).toFixed(3);
    return { ...rows, "last quarter ÷ second": { "RSS MB": grown("RSS MB"), "heap MB": grown("heap MB") } };
  } finally {
    closeConnections();
    await gateway.stop();
  }
}
