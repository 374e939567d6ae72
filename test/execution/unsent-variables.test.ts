/** Input fields whose variables are not sent are omitted, in interpreted and compiled documents: null would clear them. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();
let caller: Caller;
beforeAll(async () => {
  caller = await gateway.newTenant();
});

/** Documents are compiled on their third use. */
const uses = [1, 2, 3, 4, 5];

describe("a variable that is not sent", () => {
  it("leaves a field of a record unchanged", async () => {
    const { id } = await caller.createAsset({ model: "M1", manufacturer: "Acme" });
    const update = `mutation ($id: ID!, $name: Name, $model: ShortText, $maker: ShortText) {
      updateAsset(id: $id, input: { name: $name, model: $model, manufacturer: $maker }) { name model manufacturer } }`;
    const send = async (variables: object) => (await caller.ask(update, { id, ...variables })).updateAsset;
    for (const use of uses) {
      expect(await send({})).toEqual({ name: "Pump", model: use === 1 ? "M1" : `M${use - 1}`, manufacturer: "Acme" });
      expect(await send({ model: `M${use}` })).toEqual({ name: "Pump", model: `M${use}`, manufacturer: "Acme" });
    }
    expect(await send({ model: null })).toEqual({ name: "Pump", model: null, manufacturer: "Acme" });
  });

  it("keeps the default of an input field, also in a list", async () => {
    const groups =
      "query ($direction: Direction) { assets(orderBy: { field: NAME, direction: $direction }) { nodes { name photos { id } } } }";
    await caller.createAsset({ name: "Fan" });
    const names = async (variables: Record<string, unknown>) =>
      (await caller.ask(groups, variables)).assets.nodes.map(({ name }: any) => name);
    for (const _ of uses) {
      expect(await names({})).toEqual(["Fan", "Pump"]);
      expect(await names({ direction: "DESC" })).toEqual(["Pump", "Fan"]);
    }
    const procedure = `mutation ($assetId: ID!, $tools: [ShortText!], $text: Name!) {
      createProcedure(input: { name: "x", assetId: $assetId, frequency: DAILY, steps: [{ description: $text, tools: $tools }] }) { steps { description tools } } }`;
    const { id: assetId } = await caller.createAsset();
    const made = [];
    for (const _ of uses) made.push((await caller.ask(procedure, { assetId, text: "Look" })).createProcedure.steps);
    expect(new Set(made.map((steps) => JSON.stringify(steps))).size).toBe(1);
  });

  it("adds no condition to a filter", async () => {
    const groups = "query ($site: String, $type: String) { assetGroups(by: [STATUS], filter: { site: $site, type: $type }) { count } }";
    const { assetGroups } = await caller.ask("{ assetGroups(by: [STATUS]) { count } }");
    for (const _ of uses) {
      expect(await caller.ask(groups, {})).toEqual({ assetGroups });
      expect(await caller.ask(groups, { type: "none" })).toEqual({ assetGroups: [] });
      const { errors } = await caller.graphql(groups, { site: null });
      expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT" }, fieldErrors: [{ path: ["filter", "site"] }] }]);
    }
  });
});
