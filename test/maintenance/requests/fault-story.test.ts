/** A reported fault through both APIs: request, work order, completion (docs/work.md). */
import { expect, test } from "vitest";
import { sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

test("a reported fault is accepted, repaired and shown as completed", async () => {
  const tenant = await gateway.newTenant();
  const requester = await tenant.as("requester");
  const asset = await tenant.createAsset({ name: "Press", type: "press", site: "North" });
  const { reportFault: fault } = await requester.ask(
    `mutation ($id: ID!) { reportFault(input: { assetId: $id, description: "Drips oil", urgency: HIGH }) { id status } }`,
    { id: asset.id },
  );
  expect(fault.status).toBe("OPEN");
  const { acceptWorkRequest: accepted } = await tenant.ask(`mutation ($id: ID!) { acceptWorkRequest(id: $id) { status workOrderId } }`, {
    id: fault.id,
  });
  expect(accepted.status).toBe("ACCEPTED");
  const path = `/workorders/${accepted.workOrderId}`;
  expect((await tenant.rest("GET", path)).body).toMatchObject({ title: "Drips oil", priority: "high", status: "scheduled" });
  expect((await tenant.rest("POST", `${path}/start`)).status).toBe(200);
  expect((await tenant.rest("POST", `${path}/complete`, {})).body).toMatchObject({ status: "completed" });
  expect((await requester.ask(`query ($id: ID!) { workRequest(id: $id) { status } }`, { id: fault.id })).workRequest.status).toBe(
    "ACCEPTED",
  );
  const shown = await tenant.ask(`query ($id: ID!) { workRequest(id: $id) { workOrder { status } } }`, { id: fault.id });
  expect(shown.workRequest).toEqual({ workOrder: { status: "COMPLETED" } });
});
