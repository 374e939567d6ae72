// PostGraphile 5 on the same database, without checks of its own: its defaults, conditions for the tenant in each query.
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ["public"], poolConfig: { max: 10 } })],
  // Conditions and orders on columns without an index of their own, such as deletedAt and level.
  disablePlugins: ["PgIndexBehaviorsPlugin"],
  grafast: { explain: false },
  grafserv: { graphiql: false, watch: false },
};
const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => console.error(`http://127.0.0.1:${server.address().port}`));
