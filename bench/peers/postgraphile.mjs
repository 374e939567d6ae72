// PostGraphile 5 on the same database with its defaults and without additional checks. Each query contains the tenant condition.
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ["public"], poolConfig: { max: 10 } })],
  // Allows conditions and orders on columns without an index, such as deletedAt and level.
  disablePlugins: ["PgIndexBehaviorsPlugin"],
  grafast: { explain: false },
  grafserv: { graphiql: false, watch: false },
};
const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => console.error(`http://127.0.0.1:${server.address().port}`));
