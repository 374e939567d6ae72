/** Budgets in points per key and tenant (docs/fairness.md, "Admission"). */
import { LRUCache } from "lru-cache";

export interface BudgetPolicy {
  /** Points restored per second. 0: no limit. */
  perSecond: number;
  /** Maximum points. */
  capacity: number;
}

/** Points granted by an account, and points left in it. */
export interface Lease {
  granted: number;
  left: number;
}

/** The owner of a budget: a tenant, or one of its keys. */
export interface Scope {
  tenantId: string;
  scope: string;
}

/** Accounts shared by all processes. */
export interface Accounts {
  lease(scope: Scope, policy: BudgetPolicy, points: number): Promise<Lease>;
}

/** Share of a budget that a process leases at a time. It also lends the same share to a new caller: 10 % in total. */
const blockShare = 1 / 20;
/** Maximum number of callers whose budgets are kept. */
const maxBudgets = 10_000;

/** Neither part contains NUL. */
const keyOf = ({ tenantId, scope }: Scope): string => `${tenantId}\0${scope}`;

/** Remaining budget, for the RateLimit headers. */
export interface Standing {
  points: number;
  /** Seconds until the budget is full. */
  seconds: number;
}

/** Budget of one scope: the points that this process has leased but not spent. */
class Budget {
  private readonly block: number;
  /** Lent until the first lease, so that the first request need not wait for it. */
  private held: number;
  private lent: number;
  /** Points left in the account at the last lease. */
  private left: number;
  private askedAt = performance.now();
  private leasing: Promise<boolean> | undefined;

  constructor(
    private readonly scope: Scope,
    readonly policy: BudgetPolicy,
    private readonly accounts: Accounts,
  ) {
    this.block = policy.capacity * blockShare;
    this.held = this.block;
    this.lent = this.block;
    this.left = policy.capacity - this.block;
  }

  get standing(): Standing {
    const { capacity, perSecond } = this.policy;
    const back = ((performance.now() - this.askedAt) / 1000) * perSecond;
    const points = Math.min(capacity, Math.max(0, this.held + this.left + back));
    return { points: Math.floor(points), seconds: Math.ceil((capacity - points) / perSecond) };
  }

  /** Returns whether the points were available. If not, `ask` may lease them. */
  take(points: number): boolean {
    if (this.held < points) return false;
    this.held -= points;
    if (this.held < this.block / 2 && !this.leasing) void this.lease(0);
    return true;
  }

  give(points: number): void {
    this.held = Math.min(this.held + points, this.policy.capacity);
  }

  /**
   * Leases enough to fill the block, and at least `points`. Resolves with whether they are available; another request may take them first.
   */
  async ask(points: number): Promise<boolean> {
    while (this.held < points) {
      if (this.leasing) await this.leasing;
      else if (!(await this.lease(points))) return this.held >= points;
    }
    return true;
  }

  /** Seconds until the points are restored. */
  secondsUntil(points: number): number {
    return Math.max(1, Math.ceil((points - this.standing.points) / this.policy.perSecond));
  }

  /** Resolves with whether the account granted all requested points. */
  private lease(points: number): Promise<boolean> {
    const asked = Math.max(points, this.block) - this.held + this.lent;
    this.leasing = this.accounts
      .lease(this.scope, this.policy, asked)
      .then(({ granted, left }) => {
        const repaid = Math.min(this.lent, granted);
        this.lent -= repaid;
        this.held += granted - repaid;
        this.left = left;
        this.askedAt = performance.now();
        return granted >= asked;
      })
      .finally(() => (this.leasing = undefined));
    return this.leasing;
  }
}

/** The budgets of one kind of scope. */
export class Budgets {
  private readonly kept = new LRUCache<string, Budget>({ max: maxBudgets });

  constructor(
    readonly policy: BudgetPolicy,
    private readonly accounts: Accounts,
  ) {}

  /** Undefined if there is no limit. */
  of(scope: Scope): Budget | undefined {
    if (!this.policy.perSecond) return undefined;
    const key = keyOf(scope);
    let budget = this.kept.get(key);
    if (!budget) this.kept.set(key, (budget = new Budget(scope, this.policy, this.accounts)));
    return budget;
  }
}

export type { Budget };

/** Accounts of a single process, for the embedded database and while PostgreSQL is unavailable. */
export class LocalAccounts implements Accounts {
  private readonly points = new LRUCache<string, { points: number; at: number }>({ max: maxBudgets });

  async lease(scope: Scope, { perSecond, capacity }: BudgetPolicy, points: number): Promise<Lease> {
    const now = performance.now();
    const account = this.points.get(keyOf(scope)) ?? { points: capacity, at: now };
    const available = Math.min(capacity, account.points + ((now - account.at) / 1000) * perSecond);
    const granted = Math.min(available, points);
    this.points.set(keyOf(scope), { points: available - granted, at: now });
    return { granted, left: available - granted };
  }
}
