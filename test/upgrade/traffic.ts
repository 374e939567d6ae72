/** Clients of a tenant at two services at once. Each client uses its own records, so it knows their expected content. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** Figures of the requests to one service within one phase. */
export class Figures {
  readonly statuses: Record<string, number> = {};
  readonly ms: number[] = [];

  get line(): string {
    const sorted = this.ms.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(0) ?? "–";
    const statuses = Object.entries(this.statuses).map(([status, count]) => `${count} × ${status}`);
    return `${sorted.length} requests (${statuses.join(", ")}); ms: median ${at(0.5)}, 99th percentile ${at(0.99)}, slowest ${at(1)}`;
  }
}

export interface Acknowledged {
  path: string;
  /** Fields of the GET response. */
  fields: Record<string, unknown>;
}

export class Traffic {
  /** Figures by service and phase. */
  readonly figures = new Map<string, Figures>();
  /** Unexpected responses and errors. */
  readonly faults: string[] = [];
  readonly acknowledged = new Map<string, Acknowledged>();
  phase = "";
  private isOver = false;
  private readonly running: Promise<void>[] = [];

  /** `withPieces`: whether all services know serial numbers of stock. The first release does not. */
  constructor(
    private readonly key: string,
    readonly withPieces = true,
  ) {}

  /** Starts clients at a service. They work until they are stopped, or all are. Returns a function that stops them. */
  begin(name: string, url: string, clients: number): () => Promise<void> {
    let isEnded = false;
    const own = Array.from({ length: clients }, (_, i) => new Client(this, name, url, this.key, i).work(() => isEnded || this.isOver));
    this.running.push(...own);
    return async () => {
      isEnded = true;
      await Promise.all(own);
    };
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  count(name: string, status: string, ms: number): void {
    const place = `${name}, ${this.phase}`;
    let figures = this.figures.get(place);
    if (!figures) this.figures.set(place, (figures = new Figures()));
    figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
    figures.ms.push(ms);
  }
}

/** Thrown for 503 and for no response: the request must be retried. */
class Away extends Error {}

class Client {
  private turn = 0;

  constructor(
    private readonly traffic: Traffic,
    private readonly name: string,
    private readonly url: string,
    private readonly key: string,
    private readonly number: number,
  ) {}

  async work(isOver: () => boolean): Promise<void> {
    const rounds = [this.assets, this.stock, this.orders, this.notices, this.reads, ...(this.traffic.withPieces ? [this.pieces] : [])];
    for (let i = this.number; !isOver(); i++) {
      try {
        await rounds[i % rounds.length]!.call(this);
      } catch (error) {
        this.traffic.faults.push(`${this.name}, ${this.traffic.phase}: ${(error as Error).message}`);
      }
    }
  }

  private async once(method: string, path: string, body: unknown, key: string): Promise<any> {
    const isWrite = path === "/graphql" ? (body as { query: string }).query.startsWith("mutation") : method !== "GET";
    const begun = performance.now();
    const done = (status: string) => this.traffic.count(this.name, status, performance.now() - begun);
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.url + path, {
        method,
        headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...(isWrite && { "idempotency-key": key }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      done("unanswered");
      throw new Away(`${method} ${path}: ${(error as Error).message}`);
    }
    const answer = JSON.parse(text);
    const code = path === "/graphql" ? answer.errors?.[0]?.extensions.code : undefined;
    done(code ? `${response.status} ${code}` : String(response.status));
    // 409 for a key: the previous attempt is still running.
    const isRunning = response.status === 409 && /Idempotency-Key/i.test(text);
    if (response.status === 503 || code === "SERVICE_UNAVAILABLE" || isRunning) throw new Away(`${method} ${path}: ${text.slice(0, 300)}`);
    if (!response.ok || code)
      throw new Error(`${method} ${path} ${response.status}: ${text.slice(0, 600)} for ${JSON.stringify(body)?.slice(0, 300)}`);
    return path === "/graphql" ? answer.data : answer;
  }

  /** Retries with the same key while the service is away, for half a minute. */
  private async send(method: string, path: string, body?: unknown): Promise<any> {
    const key = randomUUID();
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(method, path, body, key);
      } catch (error) {
        if (!(error instanceof Away) || tries === 60) throw error;
        await sleep(500);
      }
    }
  }

  private ask = (query: string, variables: Record<string, unknown> = {}) => this.send("POST", "/graphql", { query, variables });

  private keep(path: string, fields: Record<string, unknown>): void {
    this.traffic.acknowledged.set(path, { path, fields });
  }

  private label = (kind: string) => `${kind} ${this.name} ${this.number}-${++this.turn}`;

  private async assets(): Promise<void> {
    const name = this.label("Pump");
    const asset = await this.send("POST", "/assets", { name, type: "pump", site: "Upgrade", area: this.name, serialNumber: randomUUID() });
    const path = `/assets/${asset.id}`;
    this.keep(path, { name });
    await this.send("PUT", path, { name: `${name}, painted`, status: "maintenance" });
    this.keep(path, { name: `${name}, painted`, status: "maintenance" });
    const root = await this.send("POST", "/components", { name: this.label("Motor"), type: "motor", assetId: asset.id });
    this.keep(`/components/${root.id}`, { name: root.name });
    const child = await this.send("POST", `/components/${root.id}/children`, { name: this.label("Bearing"), type: "bearing" });
    this.keep(`/components/${child.id}`, { name: child.name, parentId: root.id });
    const { updateComponent } = await this.ask(
      `mutation ($id: ID!) { updateComponent(id: $id, input: { notes: "Runs warm" }) { id notes asset { id name } ancestors { id } } }`,
      { id: child.id },
    );
    this.same(updateComponent, {
      id: child.id,
      notes: "Runs warm",
      asset: { id: asset.id, name: `${name}, painted` },
      ancestors: [{ id: root.id }],
    });
    this.same((await this.send("GET", `/components/tree/${root.id}`)).children?.length, 1);
    const gone = await this.send("POST", "/components", { name: this.label("Spare"), type: "motor", assetId: asset.id });
    await this.send("DELETE", `/components/${gone.id}`);
  }

  private same(found: unknown, expected: unknown): void {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`${JSON.stringify(found)} in place of ${JSON.stringify(expected)}`);
  }

  private async stocked(quantity: number): Promise<string> {
    const { partId } = await this.send("POST", "/parts", { partNumber: randomUUID(), name: this.label("Seal"), unit: "each", cost: 2.5 });
    await this.ask(`mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }`, {
      id: partId,
      input: { quantity, site: "Upgrade", unitCost: 2.5 },
    });
    return partId;
  }

  private async stock(): Promise<void> {
    const partId = await this.stocked(10);
    const path = `/inventory/${partId}?site=Upgrade`;
    this.keep(path, { quantity: 10 });
    await this.ask(`mutation ($id: ID!) { issueStock(partId: $id, input: { quantity: 3, site: "Upgrade" }) { id } }`, { id: partId });
    this.keep(path, { quantity: 7 });
    await this.send("PUT", path, { minimumStock: 2, reorderPoint: 4 });
    await this.send("POST", `/inventory/${partId}/adjustments`, {
      adjustmentType: "damage",
      quantity: -1,
      reason: "dropped",
      site: "Upgrade",
    });
    this.keep(path, { quantity: 6 });
    const { movements } = await this.send("GET", `/inventory/${partId}/history`);
    if (movements.length < 3) throw new Error(`${movements.length} movements of ${partId}`);
    this.keep(`/inventory/${partId}/history`, {});
    await this.send("GET", "/inventory?site=Upgrade&limit=20");
  }

  /** Serial numbers in stock and in components. */
  private async pieces(): Promise<void> {
    const { createPart: part } = await this.ask(`mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }`, {
      input: { partNumber: randomUUID(), name: this.label("Bearing"), tracksSerials: true },
    });
    const [first, second] = [randomUUID(), randomUUID()];
    const move = (verb: string, input: object) =>
      this.ask(`mutation ($id: ID!, $input: MoveStockInput!) { ${verb}(partId: $id, input: $input) { id } }`, { id: part.id, input });
    await move("receiveStock", { quantity: 2, site: "Upgrade", unitCost: 9, serialNumbers: [first, second] });
    await move("issueStock", { quantity: 1, site: "Upgrade", serialNumbers: [first] });
    this.keep(`/inventory/${part.id}?site=Upgrade`, { quantity: 1 });
    const found = await this.ask(
      `query ($id: ID!, $first: String!, $second: String!) {
         first: serialNumber(partId: $id, number: $first) { site movements { type } } second: serialNumber(partId: $id, number: $second) { site movements { type } } }`,
      { id: part.id, first, second },
    );
    this.same(found, {
      first: { site: null, movements: [{ type: "RECEIPT" }, { type: "ISSUE" }] },
      second: { site: "Upgrade", movements: [{ type: "RECEIPT" }] },
    });
    const asset = await this.send("POST", "/assets", { name: this.label("Mixer"), type: "mixer", site: "Upgrade" });
    const component = await this.send("POST", "/components", {
      name: this.label("Motor"),
      type: "motor",
      assetId: asset.id,
      serialNumber: first,
    });
    const path = `/components/${component.id}`;
    this.keep(path, { serialNumber: first });
    const other = randomUUID();
    await this.send("PUT", path, { serialNumber: other });
    this.keep(path, { serialNumber: other });
  }

  private async orders(): Promise<void> {
    const partId = await this.stocked(20);
    const { id: assetId } = await this.send("POST", "/assets", { name: this.label("Fan"), type: "fan", site: "Upgrade" });
    const { id } = await this.send("POST", "/pms", {
      name: this.label("Grease"),
      assetId,
      frequency: "monthly",
      steps: [
        { description: "Lock out", estimatedTime: 5 },
        { description: "Grease", estimatedTime: 10 },
      ],
      parts: [{ partId, quantity: 2 }],
    });
    const order = await this.send("POST", `/pms/${id}/createworkorder`, { assignedTechnician: "T. Berg" });
    await this.ask(`mutation ($id: ID!) { startWorkOrder(id: $id) { id status } }`, { id: order.workOrderId });
    const { workOrder } = await this.ask(
      `query ($id: ID!) { workOrder(id: $id) { status steps { order status } requiredParts { quantity status part { name } } asset { id } procedure { id } } }`,
      { id: order.workOrderId },
    );
    this.same([workOrder.status, workOrder.asset.id, workOrder.steps.length], ["IN_PROGRESS", assetId, 2]);
    await this.ask(
      `mutation ($id: ID!, $part: ID!) { completeWorkOrder(id: $id, input: { usedParts: [{ partId: $part, quantity: 1 }], notes: "Done" }) { id status } }`,
      {
        id: order.workOrderId,
        part: partId,
      },
    );
    const { history } = await this.send("GET", `/pms/${id}`);
    this.same(
      history.map((entry: any) => [entry.workOrderId, entry.status]),
      [[order.workOrderId, "completed"]],
    );
    this.keep(`/pms/${id}`, { name: `Grease ${this.name} ${this.number}-${this.turn}` });
    this.keep(`/inventory/${partId}?site=Upgrade`, { quantity: 19 });
  }

  private async notices(): Promise<void> {
    const { id: assetId } = await this.send("POST", "/assets", { name: this.label("Press"), type: "press", site: "Upgrade" });
    const { raiseNotification } = await this.ask(
      `mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id status } }`,
      { input: { assetId, severity: "WARNING", type: "ANOMALY", title: this.label("Hot"), message: "Too hot", sensorID: "T1" } },
    );
    await this.ask(`mutation ($id: ID!) { changeNotificationStatus(id: $id, status: ACKNOWLEDGED, reason: "seen") { id status } }`, {
      id: raiseNotification.id,
    });
    this.keep(`/notifications/${raiseNotification.id}`, {});
    const readings = [1, 2, 3].map((value) => ({ assetId, parameter: "temperature", value }));
    const { recordReadings } = await this.ask(
      `mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }`,
      { readings },
    );
    this.same(recordReadings, { recorded: 3 });
    const template = await this.send("POST", "/components/templates", {
      name: this.label("Drive"),
      type: "drive",
      description: "d",
      components: [{ name: "Belt", type: "belt" }],
    });
    this.keep(`/components/templates/${template.id}`, { name: template.name });
    await this.send("POST", `/components/templates/${template.id}/apply-hierarchical`, { assetId });
    const strategy = await this.send("POST", "/strategies", { name: this.label("Watch"), type: "condition-based" });
    this.keep(`/strategies/${strategy.id}`, { name: strategy.name });
  }

  private async reads(): Promise<void> {
    for (const path of [
      "/assets?limit=50",
      "/assets?search=pump&limit=20",
      "/components?limit=50",
      "/components/templates",
      "/parts?limit=50&search=bearing",
      "/parts?critical=true",
      "/inventory?limit=50&lowStock=true",
      "/inventory/reports?reportType=summary",
      "/inventory/reports?reportType=movements",
      "/pms?limit=20",
      "/strategies",
      "/notifications?limit=20&includeFeedback=true",
    ])
      await this.send("GET", path);
    await this.ask(
      `{ assets(first: 20, filter: { type: "pump" }) { nodes { id name components { nodes { id children { nodes { id name } } } } } totalCount } }`,
    );
    await this.ask(
      `{ workOrders(first: 20) { nodes { id title status asset { name site } steps { description } requiredParts { part { name } } } } }`,
    );
    await this.ask(
      `{ procedures(first: 20, filter: { search: "a" }) { nodes { id name nextDue parts { part { name } } workOrders { nodes { id } } } } upcoming(days: 30) { dueDate } }`,
    );
    await this.ask(
      `{ inventory(first: 20) { nodes { quantity part { name } site } } stockMovements(first: 20) { nodes { id quantity } } }`,
    );
    await this.ask(`{ viewer { tenantId } sites { name } notifications(first: 20) { nodes { id title statusHistory { toStatus } } } }`);
  }
}
