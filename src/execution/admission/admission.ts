/** Admission control: an operation runs once its points are deducted from the caller's budgets and it has a slot (docs/fairness.md). */
import { getHeapStatistics } from "node:v8";
import type { Config } from "../../config.js";
import type { Database } from "../../database/database.js";
import { leasePoints } from "../../database/records/budgets.js";
import { currentActivity } from "../../database/watch/activity.js";
import type { Actor } from "../../domain/access/keys.js";
import type { CostReport } from "../../resolvers/cost.js";
import type { RequestLifetime } from "../../resolvers/request-lifetime.js";
import { exceedsBudgetCapacity, rateLimited, type ServiceError } from "../../schema/errors.js";
import { Arrivals } from "./arrivals.js";
import { type Accounts, type Budget, type BudgetPolicy, Budgets, LocalAccounts } from "./budget.js";
import { Crowds } from "./crowds.js";
import { type ReleaseSlot, Slots } from "./slots.js";
import { SlowCallers } from "./slow-callers.js";

/**
 * The lane whose slots an operation takes. Long operations also take a slot of the long lane, which has fewer slots than there are
 * connections. File operations wait for the storage instead of the database, so they have their own slots.
 */
export type Lane = "short" | "long" | "files";

/** Facts about an operation that are known before it runs. */
export interface Work {
  /** In points. */
  cost: number;
  /** By its fields. */
  lane: Lane;
}

/** Minimum cost of a long operation, in points. */
const longCost = 5_000;

const laneOf = ({ cost, lane }: Work): Lane => (lane === "short" && cost >= longCost ? "long" : lane);

/** A result and its cost. */
export interface Admitted<T> {
  result: T;
  cost: CostReport;
}

interface Ticket {
  /** Releases the slot. Refunds the points that the response does not account for; `answered` is the response's points. */
  end(answered: number): CostReport;
}

/** Response characters per point; a point is about one record. */
const charactersPerPoint = 64;

/** Cost of a response in points. */
export const pointsOf = (text: string): number => Math.ceil(text.length / charactersPerPoint);

/** Minimum points that the request has paid before its operation. */
const minimumRequestCost = 1;

/** Minimum share of the requested points: empty responses also cost reads. */
const leastShare = 1 / 10;

/** Actual cost of an operation, out of the requested points. */
const actualCost = (requested: number, answered: number): number =>
  Math.min(requested, Math.ceil(Math.max(requested * leastShare, answered)));

/** File operations rarely hold a connection. */
const fileSlotsPerSlot = 4;

/**
 * Maximum copies of a response on the heap while it is produced: the file in chunks and whole, and its JSON, each with two bytes per
 * character.
 */
const copiesOfAnswer = 6;

/** Share of the usual wait for slow callers, because each of their operations takes long once it has a slot. */
const slowWaitShare = 1 / 2;

/** The slots in which an operation runs. */
interface Taking {
  tenantId: string;
  lifetime: RequestLifetime | undefined;
  /** Whether its caller is slow. */
  isSlow: boolean;
}

/** Share of all slots that slow callers may use. */
const slowShare = 1 / 3;

/** Limits the maximum response to what the heap can hold: a response in production takes half of the heap. */
export const answersWithinHeap = (config: Config, heap = getHeapStatistics().heap_size_limit): Config => ({
  ...config,
  MAX_ANSWER_BYTES: Math.min(config.MAX_ANSWER_BYTES, Math.floor(heap / (2 * copiesOfAnswer))),
});

/** Default limit of long operations: a third of all slots, and no more than the number of responses that the heap can hold. */
const usualLong = (size: number, maxAnswer: number): number =>
  Math.max(1, Math.min(Math.floor(size / 3), Math.floor(getHeapStatistics().heap_size_limit / (maxAnswer * copiesOfAnswer))));

export class Admission {
  private readonly keys: Budgets;
  private readonly tenants: Budgets;
  private readonly slots: Slots;
  private readonly longSlots: Slots;
  private readonly fileSlots: Slots;
  private readonly slowSlots: Slots;
  private readonly slowCallers = new SlowCallers();
  private readonly crowds: Crowds;
  /** Maximum wait of slow callers for a lane, in milliseconds. */
  private readonly slowWaitMs: number;

  private readonly arrivals: Arrivals;

  /** Requests refused for lack of points since startup. */
  private readonly refused: RefusedPoints = { key: 0, tenant: 0, tooExpensive: 0 };

  /** `noteSpent` receives the points of each admitted operation. */
  constructor(
    config: Config,
    database: Database,
    private readonly noteSpent?: (tenantId: string, points: number) => void,
  ) {
    const accounts = accountsOf(database);
    const policy = (perSecond: number): BudgetPolicy => ({ perSecond, capacity: perSecond * config.RATE_LIMIT_BURST });
    this.keys = new Budgets(policy(config.RATE_LIMIT_KEY), accounts);
    this.tenants = new Budgets(policy(config.RATE_LIMIT_TENANT), accounts);
    const size = config.MAX_RUNNING ?? config.DATABASE_CONNECTIONS;
    const isStuck = () => database.load().pool?.isStuck ?? false;
    const limits = { tenantQueue: config.TENANT_QUEUE, queue: config.MAX_QUEUE, waitMs: config.QUEUE_SECONDS * 1000, isStuck };
    this.slots = new Slots({ ...limits, size });
    this.arrivals = new Arrivals(this.slots);
    this.fileSlots = new Slots({ ...limits, size: size * fileSlotsPerSlot });
    const slowSize = Math.max(1, Math.floor(size * slowShare));
    // The embedded database runs one statement at a time, so a second slot gains nothing.
    this.slowSlots = new Slots({ ...limits, size: database.kind === "embedded" ? 1 : slowSize });
    this.slowWaitMs = limits.waitMs * slowWaitShare;
    const isAwaited = (tenantId: string) => this.slots.isAwaitedBesides(tenantId);
    this.crowds = new Crowds(slowSize, { isSlow: (caller) => this.slowCallers.isSlow(caller), isAwaited });
    // Never all slots, so that long operations leave one for others.
    this.longSlots = new Slots({ ...limits, size: config.MAX_RUNNING_LONG ?? usualLong(size, config.MAX_ANSWER_BYTES) });
  }

  /**
   * Runs `work` once its points are deducted and it has a slot. `answered` returns the cost of the response. Rejects with RATE_LIMITED,
   * with SERVICE_UNAVAILABLE, with BAD_USER_INPUT if the cost exceeds the capacity of a budget, or with the reason why the request ended.
   */
  async run<T>(
    caller: { actor: Actor; lifetime: RequestLifetime | undefined },
    operation: Work,
    work: () => Promise<T>,
    answered: (result: T) => number,
  ): Promise<Admitted<T>> {
    const { actor, lifetime } = caller;
    const { cost } = operation;
    const budgets = this.budgetsOf(actor);
    const lacking = take(budgets, cost);
    if (lacking) await takeLater(budgets, lacking, cost, this.refused, minimumRequestCost);
    const started = this.start(actor, budgets, cost, laneOf(operation), lifetime);
    const ticket = started instanceof Promise ? await started : started;
    try {
      const result = await work();
      return { result, cost: ticket.end(answered(result)) };
    } catch (error) {
      ticket.end(0);
      throw error;
    }
  }

  /** Deducts the points of a request before it is parsed. Throws or rejects with RATE_LIMITED and BAD_USER_INPUT. */
  charge(actor: Actor, points: number): void | Promise<void> {
    const budgets = this.budgetsOf(actor);
    const lacking = take(budgets, points);
    if (lacking) return takeLater(budgets, lacking, points, this.refused).then(() => this.noteSpent?.(actor.tenantId, points));
    this.noteSpent?.(actor.tenantId, points);
  }

  /**
   * Call before the body of a request is read. Undefined if the request may go on. Otherwise resolves once the tenant's queue has room, or
   * rejects with RATE_LIMITED.
   */
  admitBody({ tenantId }: Actor): Promise<void> | undefined {
    return this.arrivals.admit(tenantId);
  }

  /** Running and waiting operations by lane, and refusals since startup by reason, for the metrics. */
  get load(): AdmissionLoad {
    const lanes = { short: this.slots, long: this.longSlots, slow: this.slowSlots, files: this.fileSlots };
    const all = Object.values(lanes);
    const refusedBy = (reason: keyof Slots["refused"]) => all.reduce((sum, { refused }) => sum + refused[reason], 0);
    const { key, tenant, tooExpensive } = this.refused;
    return {
      lanes: Object.entries(lanes).map(([lane, { load }]) => ({ lane: lane as keyof typeof lanes, ...load })),
      refused: {
        key_budget: key,
        tenant_budget: tenant,
        too_dear: tooExpensive,
        tenant_queue: refusedBy("tenantQueue"),
        queue: refusedBy("queue"),
        wait: refusedBy("wait"),
        slow: this.crowds.ended,
      },
    };
  }

  /** The RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
  headers(actor: Actor): Record<string, string> {
    const policies: string[] = [];
    const standings: string[] = [];
    for (const { name, budget } of this.budgetsOf(actor)) {
      const { points, seconds } = budget.standing;
      policies.push(`"${name}";q=${budget.policy.capacity};w=${Math.round(budget.policy.capacity / budget.policy.perSecond)}`);
      standings.push(`"${name}";r=${points};t=${seconds}`);
    }
    return policies.length ? { "ratelimit-policy": policies.join(", "), ratelimit: standings.join(", ") } : {};
  }

  /** Cost and the caller's remaining budget. */
  report(actor: Actor, requested: number, actual = 0): CostReport {
    const [first, ...others] = this.budgetsOf(actor);
    if (!first) return { requested, actual, available: 0, restoreRate: 0 };
    const scarce = others.reduce((least, next) => (next.budget.standing.points < least.budget.standing.points ? next : least), first);
    return { requested, actual, available: scarce.budget.standing.points, restoreRate: scarce.budget.policy.perSecond };
  }

  private budgetsOf({ tenantId, keyId, principalId }: Actor): NamedBudget[] {
    const key = this.keys.of({ tenantId, scope: `key ${keyId ?? principalId}` });
    const tenant = this.tenants.of({ tenantId, scope: "tenant" });
    const budgets: NamedBudget[] = [];
    if (key) budgets.push({ name: "key", budget: key });
    if (tenant) budgets.push({ name: "tenant", budget: tenant });
    return budgets;
  }

  private start(actor: Actor, budgets: NamedBudget[], cost: number, lane: Lane, lifetime?: RequestLifetime): Ticket | Promise<Ticket> {
    const giveBack = (points: number) => {
      for (const { budget } of budgets) budget.give(points);
    };
    const caller = callerOf(actor);
    const { tenantId } = actor;
    this.arrivals.noteEntered(tenantId);
    const activity = currentActivity();
    if (activity) activity.tenantId = tenantId;
    // The duration of file operations depends on the storage and the client's network.
    const entered = lane === "files" ? undefined : this.crowds.enter({ caller, tenantId, lifetime, arrivedAt: activity?.startedAt });
    const ticket = (...slots: ReleaseSlot[]): Ticket => {
      if (entered)
        slots.push(
          entered.begin(),
          this.slowCallers.begin(caller, () => activity?.waitedMs ?? 0),
        );
      return {
        end: (answered) => {
          for (const end of slots) end();
          const actual = actualCost(cost, answered);
          this.noteSpent?.(tenantId, actual);
          giveBack(cost - actual);
          return this.report(actor, cost, actual);
        },
      };
    };
    try {
      const isSlow = lane !== "files" && this.slowCallers.isSlow(caller);
      if (isSlow || lane === "long") {
        activity?.yield();
        return this.startScarce(lane, { tenantId, lifetime, isSlow }).then((slots) => ticket(...slots), refund);
      }
      const slot = (lane === "files" ? this.fileSlots : this.slots).enter(tenantId, lifetime);
      return typeof slot === "function" ? ticket(slot) : slot.then(ticket, refund);
    } catch (error) {
      return refund(error);
    }
    function refund(error: unknown): never {
      entered?.leave();
      giveBack(cost);
      throw error;
    }
  }

  /** Waits for a slot of each limited lane first, then for a general one. */
  private async startScarce(lane: Lane, { tenantId, lifetime, isSlow }: Taking): Promise<ReleaseSlot[]> {
    const lanes = [...(isSlow ? [this.slowSlots] : []), ...(lane === "long" ? [this.longSlots] : [])];
    const waitMs = isSlow ? this.slowWaitMs : undefined;
    const held: ReleaseSlot[] = [];
    try {
      for (const slots of lanes) held.push(await slots.enter(tenantId, lifetime, { holds: held.length > 0, waitMs }));
      held.push(await this.slots.enter(tenantId, lifetime, { holds: true }));
      return held;
    } catch (error) {
      for (const end of held) end();
      throw error;
    }
  }
}

const callerOf = ({ tenantId, keyId, principalId }: Actor): string => `${tenantId}\0${keyId ?? principalId}`;

const settingOf = { key: "RATE_LIMIT_KEY", tenant: "RATE_LIMIT_TENANT" };

type RefusedPoints = Record<NamedBudget["name"] | "tooExpensive", number>;

export interface AdmissionLoad {
  /** Long and slow operations also count in the short lane. */
  lanes: { lane: Lane | "slow"; running: number; waiting: number }[];
  refused: Record<"key_budget" | "tenant_budget" | "too_dear" | "tenant_queue" | "queue" | "wait" | "slow", number>;
}

interface NamedBudget {
  name: keyof typeof settingOf;
  budget: Budget;
}

/** Deducts the points from all budgets. If a budget lacks them, deducts nothing and returns that budget. */
function take(budgets: NamedBudget[], points: number): NamedBudget | undefined {
  const lacking = budgets.findIndex(({ budget }) => !budget.take(points));
  for (const { budget } of budgets.slice(0, Math.max(0, lacking))) budget.give(points);
  return lacking < 0 ? undefined : budgets[lacking];
}

/** `paid`: points that the same request has already paid. */
async function takeLater(
  budgets: NamedBudget[],
  lacking: NamedBudget | undefined,
  points: number,
  refused: RefusedPoints,
  paid = 0,
): Promise<void> {
  const small = budgets.find(({ budget }) => points + paid > budget.policy.capacity);
  if (small) refused.tooExpensive++;
  if (small) throw exceedsBudgetCapacity(points, small.name, settingOf[small.name], small.budget.policy.capacity - paid);
  while (lacking) {
    const { budget } = lacking;
    if (budget.standing.points < points || !(await budget.ask(points))) {
      refused[lacking.name]++;
      throw usedUp(lacking, points);
    }
    lacking = take(budgets, points);
  }
}

function usedUp({ name, budget }: NamedBudget, points: number): ServiceError {
  const { perSecond, capacity } = budget.policy;
  return rateLimited(
    budget.secondsUntil(points),
    `The budget of this ${name} is ${capacity} points, of which ${perSecond} come back each second (${settingOf[name]}); this needs ${points}, and ${budget.standing.points} are left`,
  );
}

/** Accounts of all processes. */
export const accountsOf = (database: Database): Accounts =>
  database.kind === "postgresql" ? sharedAccounts(database) : new LocalAccounts();

/** Accounts in the database. Falls back to accounts of this process while the database is unavailable. */
function sharedAccounts(database: Database): Accounts {
  const local = new LocalAccounts();
  return {
    lease: (scope, policy, points) => leasePoints(database, scope, policy, points).catch(() => local.lease(scope, policy, points)),
  };
}
