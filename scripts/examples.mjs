// Requests to the demo plant whose responses become the examples of /openapi.json, one per operation.

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** The instant of all examples. */
const instant = Date.parse("2026-03-02T08:15:00.000Z");
const day = 86_400_000;

/** Number of list items that an example shows. */
const shown = 2;

/** Makes recordings reproducible: numbers the ids, replaces the time of the recording by one instant, and truncates secrets and tokens. */
function normaliser(url, startedAt) {
  const ids = new Map();
  const idOf = (id) => {
    if (!ids.has(id)) ids.set(id, `01a20131-1a8a-7283-ba53-${String(ids.size + 1).padStart(12, "0")}`);
    return ids.get(id);
  };
  const days = Math.floor(startedAt / day) - Math.floor(instant / day);
  /** Times from requests, which stay unchanged. */
  const sent = new Set();
  const timeOf = (text) => {
    const time = Date.parse(text);
    if (sent.has(time)) return text;
    const isNow = Math.abs(time - startedAt) < 600_000;
    return new Date(isNow ? instant : Math.floor((time - days * day) / 60_000) * 60_000).toISOString();
  };
  const textOf = (text, key) => {
    if (key === "nextToken" || key === "endCursor") return "WyJOb3J0aCIsbnVsbCwi…";
    if (key === "policy") return "<UPLOAD_POLICY>";
    if (key === "signature") return "<UPLOAD_SIGNATURE>";
    if (isTime(text)) return timeOf(text);
    return text
      .replaceAll(url, "https://maintenance.example.com")
      .replace(/expires=\d+/, "expires=1772445600000")
      .replace(/signature=[\w-]+/, "signature=Q5Fmj3M8…")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, idOf);
  };
  const isTime = (text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
  return function normalise(value, key, isSent = false) {
    if (isSent && isTime(value)) sent.add(Date.parse(value));
    if (typeof value === "string") return textOf(value, key);
    if (Array.isArray(value)) return value.slice(0, shown).map((item) => normalise(item, key, isSent));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, normalise(entry, name, isSent)]));
  };
}

/**
 * Sends each operation once to a service with the demo plant. `key` is an administrator's key. Returns `examples` by operation, and in
 * `ofPlant` the operations whose responses show the plant's current state instead of data sent here.
 */
export async function recordExamples(url, key) {
  const normalise = normaliser(url, Date.now());
  const examples = {};
  const ofPlant = [];

  async function call(method, path, body, asKey = key) {
    const isText = typeof body === "string";
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${asKey}`,
        ...(body !== undefined && { "content-type": isText ? "text/csv" : "application/json" }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return /json/.test(response.headers.get("content-type")) ? response.json() : response.text();
  }

  async function record(operationId, method, path, body, asKey) {
    const answer = await call(method, path, body, asKey);
    if (examples[operationId]) throw new Error(`${operationId} is recorded twice`);
    examples[operationId] = { ...(body !== undefined && { request: normalise(body, "", true) }), response: normalise(answer) };
    return answer;
  }

  function recordPlant(operationId, path) {
    ofPlant.push(operationId);
    return record(operationId, "GET", path);
  }

  async function graphql(query) {
    const { data, errors } = await call("POST", "/graphql", { query });
    if (errors) throw new Error(errors[0].message);
    return data;
  }

  async function photos(noun, path) {
    const file = { filename: "front.png", contentType: "image/png", size: png.length };
    const grant = await record(`create${noun}PhotoUpload`, "POST", `${path}/photos/presigned-url`, file);
    const form = new FormData();
    for (const [name, value] of Object.entries(grant.fields)) form.append(name, value);
    form.append("file", new Blob([png], { type: "image/png" }), "front.png");
    const upload = await fetch(grant.uploadUrl, { method: "POST", body: form });
    if (upload.status !== 204) throw new Error(`upload: ${upload.status} ${await upload.text()}`);
    const sent = { mediaId: grant.mediaId, filename: "front.png", type: "image", size: png.length, description: "Front" };
    await record(`register${noun}Photo`, "POST", `${path}/photos`, sent);
    await record(`list${noun}Photos`, "GET", `${path}/photos`);
    await record(`delete${noun}Photo`, "DELETE", `${path}/photos/${grant.mediaId}`);
    await record(`restore${noun}Photo`, "POST", `${path}/photos/${grant.mediaId}/restore`);
  }

  async function deleteAndRestore(noun, path, verb = "restore", end = "delete") {
    await record(`list${noun}Changes`, "GET", `${path}/changes?limit=2`);
    await record(`${end}${noun}`, "DELETE", path);
    await record(`${verb}${noun}`, "POST", `${path}/restore`);
  }

  await recordPlant("listAssets", "/assets?limit=2&type=pump");
  const asset = await record("createAsset", "POST", "/assets", {
    name: "Feed pump A",
    type: "pump",
    site: "North",
    area: "Boiler house",
    location: "Hall 1",
    serialNumber: "FP-1",
    manufacturer: "KSB",
    model: "HGC 4",
    installDate: "2024-05-01T00:00:00Z",
    specifications: { power: "5 kW" },
  });
  const assetPath = `/assets/${asset.id}`;
  await record("getAsset", "GET", assetPath);
  await record("updateAsset", "PUT", assetPath, { status: "maintenance", nextMaintenanceDate: "2026-04-01T00:00:00Z" });
  await record("importAssets", "POST", "/assets/import?mode=upsert", "name,type,serialNumber\nFeed pump C,pump,FP-3\n,pump,FP-4\n");
  await photos("Asset", assetPath);

  await recordPlant("listComponents", "/components?limit=2");
  const motor = await record("createComponent", "POST", "/components", {
    name: "Drive motor",
    type: "motor",
    assetId: asset.id,
    serialNumber: "M-1",
    manufacturer: "ABB",
    model: "M3BP 160",
    specifications: { power: "11 kW" },
    maintenanceInterval: "6 months",
    criticality: "high",
  });
  const motorPath = `/components/${motor.id}`;
  const bearing = await record("createChildComponent", "POST", `${motorPath}/children`, { name: "Bearing DE", type: "bearing" });
  await record("getComponent", "GET", motorPath);
  await record("getComponentTree", "GET", `/components/tree/${motor.id}`);
  await record("listChildComponents", "GET", `${motorPath}/children`);
  await record("listDescendantComponents", "GET", `${motorPath}/descendants`);
  await record("listAncestorComponents", "GET", `/components/${bearing.id}/ancestors`);
  await record("updateComponent", "PUT", motorPath, { status: "faulty", notes: "Runs hot" });
  await record("bulkComponents", "POST", "/components/bulk", {
    operation: "update",
    componentIds: [motor.id, bearing.id],
    data: { status: "operational" },
  });
  await record("moveComponent", "PUT", `/components/${bearing.id}/move`, { newParentId: null, position: 0 });
  await deleteAndRestore("Component", motorPath);

  const template = await record("createTemplate", "POST", "/components/templates", {
    name: "Pump set",
    type: "pump",
    description: "Pump with motor",
    components: [{ name: "Pump", type: "pump", components: [{ name: "Bearing DE", type: "bearing", maintenanceInterval: "6 months" }] }],
  });
  const templatePath = `/components/templates/${template.id}`;
  await record("getTemplate", "GET", templatePath);
  await recordPlant("listTemplates", "/components/templates");
  await record("updateTemplate", "PUT", templatePath, { description: "Pump with motor and base" });
  await record("listTemplateVersions", "GET", `${templatePath}/versions`);
  await record("recordTemplateUsage", "POST", `${templatePath}/usage`);
  await record("applyTemplate", "POST", `${templatePath}/apply-hierarchical`, {
    assetId: asset.id,
    customizations: { serialNumberPrefix: "PS-" },
  });
  await deleteAndRestore("Template", templatePath);

  await recordPlant("listParts", "/parts?limit=2");
  const part = await record("createPart", "POST", "/parts", {
    partNumber: "BRG-6309-EX",
    name: "Deep groove ball bearing 6309",
    category: "Bearings",
    manufacturer: "SKF",
    unitOfMeasure: "each",
    unitCost: 48.5,
    currency: "EUR",
    supplier: { id: "SUP-1", name: "Kugel GmbH", partNumber: "K-6309" },
    stockLevel: 12,
    minimumStock: 4,
    maximumStock: 40,
    reorderPoint: 6,
    isCritical: true,
    location: "A-01-03",
    site: "North",
  });
  const partPath = `/parts/${part.partId}`;
  await record("getPart", "GET", partPath);
  await record("updatePart", "PUT", partPath, { reorderPoint: 8, dimensions: { length: 100, width: 100, height: 25, unit: "mm" } });
  await photos("Part", partPath);
  await record(
    "importRecords",
    "POST",
    "/import/parts?dryRun=true",
    "partNumber,name,category\nBRG-6310,Ball bearing 6310,Bearings\nBRG-6311,,Bearings\n",
  );
  await record("inspectFile", "POST", "/import/parts/inspection", "sep=;\nPart no.;Description;Colour\nBRG-6310;Ball bearing 6310;red\n");
  await recordPlant("exportRecords", "/export/parts");

  const stock = `/inventory/${part.partId}`;
  await recordPlant("listInventory", "/inventory?limit=2");
  await record("getInventory", "GET", `${stock}?site=North`);
  await record("updateInventory", "PUT", stock, { currentStock: 11, minimumStock: 5, reason: "Annual count" });
  const damage = { adjustmentType: "damage", quantity: -2, reason: "Dropped", notes: "Housing cracked" };
  const first = await record("adjustStock", "POST", `${stock}/adjustments`, damage);
  const second = await call("POST", `${stock}/adjustments`, {
    adjustmentType: "correction",
    quantity: 1,
    reason: "Found behind the shelf",
  });
  await record("listAdjustments", "GET", `/inventory/adjustments?pending=true&partId=${part.partId}`);
  const { createApiKey } = await graphql('mutation { createApiKey(input: { name: "storekeeper", role: MANAGER }) { key } }');
  const decide = (decision, { adjustmentId }, reason) =>
    record(`${decision}Adjustment`, "POST", `/inventory/adjustments/${adjustmentId}/${decision}`, { reason }, createApiKey.key);
  await decide("approve", first, "Seen at the bench");
  await decide("reject", second, "Counted again");
  await record("listMovements", "GET", `${stock}/history?limit=2`);
  await recordPlant("getInventoryReport", "/inventory/reports?reportType=summary");

  await recordPlant("listProcedures", "/pms?limit=1");
  const procedure = await record("createProcedure", "POST", "/pms", {
    name: "Grease bearings",
    assetId: asset.id,
    frequency: "monthly",
    estimatedDuration: 45,
    priority: "high",
    steps: [
      { order: 1, description: "Lock out the drive", safetyNote: "Try the start button" },
      { order: 2, description: "Grease both bearings", estimatedTime: 20, tools: ["Grease gun"] },
    ],
    requiredSkills: ["lubrication"],
    safetyRequirements: ["ppe", "lockout_tagout"],
    parts: [{ partId: part.partId, quantity: 1 }],
    schedulingRules: { preferredDay: "Monday", avoidWeekends: true, leadTime: 7 },
  });
  const procedurePath = `/pms/${procedure.id}`;
  await record("getProcedure", "GET", procedurePath);
  await record("updateProcedure", "PUT", procedurePath, { estimatedDuration: 60 });
  const { workOrderId } = await record("createWorkOrder", "POST", `${procedurePath}/createworkorder`, {
    assignedTechnician: "Ann",
    notes: "Noise at the drive end",
    customSteps: [{ description: "Listen to the drive end", estimatedTime: 5 }],
  });
  const orderPath = `/workorders/${workOrderId}`;
  await recordPlant("listWorkOrders", "/workorders?pending=true&limit=2");
  await record("getWorkOrder", "GET", orderPath);
  await record("startWorkOrder", "POST", `${orderPath}/start`);
  await record("updateWorkOrderStep", "PUT", `${orderPath}/steps/1`, { status: "completed", notes: "Locked with padlock 12" });
  await record("completeWorkOrder", "POST", `${orderPath}/complete`, {
    duration: 50,
    technician: "Ann",
    laborCost: 40,
    usedParts: [{ partId: part.partId, quantity: 1 }],
  });
  await deleteAndRestore("Procedure", procedurePath);

  await recordPlant("listStrategies", "/strategies?limit=1");
  const strategy = await record("createStrategy", "POST", "/strategies", {
    name: "Pump vibration",
    type: "condition-based",
    criticality: "high",
    frequency: "continuous",
    duration: 30,
    triggerConditions: [{ parameter: "vibration", threshold: 7.1, unit: "mm/s", operator: "greater_than" }],
    resources: [{ type: "technician", count: 1, skills: ["vibration analysis"] }],
    procedures: [procedure.id],
    applicableAssetTypes: ["pump set"],
    costs: { labor: 120, materials: 40, downtime: 0 },
  });
  const strategyPath = `/strategies/${strategy.id}`;
  await record("getStrategy", "GET", strategyPath);
  await record("updateStrategy", "PUT", strategyPath, { duration: 45 });
  await deleteAndRestore("Strategy", strategyPath);

  await recordPlant("listNotifications", "/notifications?limit=2&includeFeedback=true");
  const { raiseNotification } = await graphql(
    `mutation { raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "Vibration rising", message: "Vibration 7.4 mm/s at the drive end",
      assetId: "${asset.id}", sensorID: "VIB-3", metadata: { score: 0.93, modelVersion: "2.3.1" } }) { id } }`,
  );
  const notificationPath = `/notifications/${raiseNotification.id}`;
  await record("getNotification", "GET", notificationPath);
  await record("changeNotificationStatus", "PUT", `${notificationPath}/status`, { status: "acknowledged", reason: "Ann looks at it" });
  await record("listNotificationChanges", "GET", `${notificationPath}/changes?limit=2`);

  await record("deleteInventory", "DELETE", `${stock}?site=North`);
  await record("listPartChanges", "GET", `${partPath}/changes?limit=2`);
  await record("deactivatePart", "DELETE", partPath);
  await record("reactivatePart", "POST", `${partPath}/restore`);
  await deleteAndRestore("Asset", assetPath);
  return { examples, ofPlant };
}
