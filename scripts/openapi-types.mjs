// Types of a REST client: `node scripts/openapi-types.mjs openapi.json gateway.d.ts`. The output is that of `npx openapi-typescript`.
import { readFileSync, writeFileSync } from "node:fs";
import { register } from "node:module";

// The generator prints through the compiler API, which TypeScript 7 does not have.
const api = JSON.stringify(new URL("./typescript-api.mjs", import.meta.url).href);
const hook = `export const resolve = (name, context, next) => next(name === "typescript" ? ${api} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);

const [from, to] = process.argv.slice(2);
const { astToString, default: openapiTypescript } = await import("openapi-typescript");
const types = await openapiTypescript(JSON.parse(readFileSync(from, "utf8")));
writeFileSync(to, astToString(types));
