/** SIGTERM under 40 clients that keep their connections, STOPS times for each way to start. `npm run test:deploy` runs it. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { issueKey, type Way, ways } from "./service.js";
import { cleanUp, fresh, stopUnderLoad } from "./stop.js";

beforeAll(build);
afterEach(cleanUp);

const stops = Number(process.env.STOPS ?? 3);

describe("no started request is lost in any number of stops", () => {
  it.each(Object.keys(ways) as Way[])("%s", async (way) => {
    const settings = await fresh();
    const key = way === "npm start" ? undefined : await issueKey(settings);
    const figures: Awaited<ReturnType<typeof stopUnderLoad>>[] = [];
    for (let i = 0; i < stops; i++) figures.push(await stopUnderLoad(way, settings, key));
    const of = (name: "answered" | "afterSignal") => figures.map((figure) => figure[name]).join(" ");
    console.log(`${way}: answered ${of("answered")}; after the signal ${of("afterSignal")}`);
    expect(figures).toHaveLength(stops);
  });
});
