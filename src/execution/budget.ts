/** Budgets in points: what a key and its tenant may still ask for (docs/fairness.md, "Admission"). */
import { LRUCache } from "lru-cache";

export interface BudgetPolicy {
  /** Points that come back each second. 0: there is no limit. */
  perSecond: number;
  /** Points at most. */
  capacity: number;
}

/** What an account gave of the points that it was asked for, and what it has left. */
export interface Lease {
  granted: number;
  left: number;
}

/** Whose points they are: a tenant's, or one of its keys'. */
export interface Scope {
  tenantId: string;
  scope: string;
}

/** Where all processes take their points from. */
export interface Accounts {
  lease(scope: Scope, policy: BudgetPolicy, points: number): Promise<Lease>;
}

/** How much of a budget a process takes at a time. Together with the same share, which it lends a new caller, 10 %. */
const blockShare = 1 / 20;
/** Callers whose points are kept. */
const maxBudgets = 10_000;

/** Neither contains NUL. */
const keyOf = ({ tenantId, scope }: Scope): string => `${tenantId}\0${scope}`;

/** What is left to a caller, for the headers of an answer. */
export interface Standing {
  points: number;
  /** Until the budget is whole again. */
  seconds: number;
}

/** Of one scope: the points that this process has leased and not given out. */
class Budget {
  private readonly block: number;
  /** Lent until the first lease, so that the first request need not wait for it. */
  private held: number;
  private lent: number;
  /** In the account, when it was last asked. */
  private left: number;
  private askedAt = Date.now();
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
    const back = ((Date.now() - this.askedAt) / 1000) * perSecond;
    const points = Math.min(capacity, Math.max(0, this.held + this.left + back));
    return { points: Math.floor(points), seconds: Math.ceil((capacity - points) / perSecond) };
  }

  /** True if the points were there. Otherwise they may be after `ask`. */
  take(points: number): boolean {
    if (this.held < points) return false;
    this.held -= points;
    if (this.held < this.block / 2 && !this.leasing) void this.lease(0);
    return true;
  }

  give(points: number): void {
    this.held = Math.min(this.held + points, this.policy.capacity);
  }

  /** Leases what fills the block, and `points` at least. Resolves with whether they are here: another request may take them first. */
  async ask(points: number): Promise<boolean> {
    while (this.held < points) {
      if (this.leasing) await this.leasing;
      else if (!(await this.lease(points))) return this.held >= points;
    }
    return true;
  }

  /** Seconds until the points are back. */
  secondsUntil(points: number): number {
    return Math.max(1, Math.ceil((points - this.standing.points) / this.policy.perSecond));
  }

  /** Resolves with whether the account gave all that was asked for. */
  private lease(points: number): Promise<boolean> {
    const asked = Math.max(points, this.block) - this.held + this.lent;
    this.leasing = this.accounts
      .lease(this.scope, this.policy, asked)
      .then(({ granted, left }) => {
        const repaid = Math.min(this.lent, granted);
        this.lent -= repaid;
        this.held += granted - repaid;
        this.left = left;
        this.askedAt = Date.now();
        return granted >= asked;
      })
      .finally(() => (this.leasing = undefined));
    return this.leasing;
  }
}

/** The budgets of a kind of scope. */
export class Budgets {
  private readonly kept = new LRUCache<string, Budget>({ max: maxBudgets });

  constructor(
    readonly policy: BudgetPolicy,
    private readonly accounts: Accounts,
  ) {}

  /** Undefined where there is no limit. */
  of(scope: Scope): Budget | undefined {
    if (!this.policy.perSecond) return undefined;
    const key = keyOf(scope);
    let budget = this.kept.get(key);
    if (!budget) this.kept.set(key, (budget = new Budget(scope, this.policy, this.accounts)));
    return budget;
  }
}

export type { Budget };

/** Accounts of one process alone, for the embedded database and while PostgreSQL is away. */
export class LocalAccounts implements Accounts {
  private readonly points = new LRUCache<string, { points: number; at: number }>({ max: maxBudgets });

  async lease(scope: Scope, { perSecond, capacity }: BudgetPolicy, points: number): Promise<Lease> {
    const now = Date.now();
    const account = this.points.get(keyOf(scope)) ?? { points: capacity, at: now };
    const available = Math.min(capacity, account.points + ((now - account.at) / 1000) * perSecond);
    const granted = Math.min(available, points);
    this.points.set(keyOf(scope), { points: available - granted, at: now });
    return { granted, left: available - granted };
  }
}
