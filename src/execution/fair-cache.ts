/** A cache that tenants share: what is evicted belongs to the tenant that keeps most, so that nobody's flood reaches the others. */
import { LRUCache } from "lru-cache";

export interface CacheLimits {
  /** Of all tenants together. */
  entries: number;
  /** Of all entries together, in the unit of `set`. */
  size: number;
  /** Of one entry. Larger ones are not kept. */
  each: number;
}

/** What a tenant holds, in the order of its last use by anybody. */
type Share<V> = LRUCache<string, { value: V; size: number }>;

export class FairCache<V> {
  private readonly holders = new Map<string, string>();
  private readonly shares = new Map<string, Share<V>>();
  private size = 0;

  constructor(private readonly limits: CacheLimits) {}

  get(key: string): V | undefined {
    const holder = this.holders.get(key);
    return holder === undefined ? undefined : this.shares.get(holder)!.get(key)?.value;
  }

  /** Keeps a value for everybody, at the expense of one tenant. A key that is kept already keeps its value and its holder. */
  set(tenant: string, key: string, value: V, size: number): void {
    if (size > this.limits.each || this.holders.has(key)) return;
    this.holders.set(key, tenant);
    this.size += size;
    this.shareOf(tenant).set(key, { value, size });
    while (this.size > this.limits.size || this.holders.size > this.limits.entries) this.evict();
  }

  private shareOf(tenant: string): Share<V> {
    let share = this.shares.get(tenant);
    if (share) return share;
    share = new LRUCache({
      maxSize: this.limits.size,
      sizeCalculation: ({ size }) => size,
      dispose: ({ size }, key) => {
        this.size -= size;
        this.holders.delete(key);
      },
    });
    this.shares.set(tenant, share);
    return share;
  }

  private evict(): void {
    const [tenant, share] = [...this.shares].reduce((most, one) => (this.partOf(one[1]) > this.partOf(most[1]) ? one : most));
    share.pop();
    if (!share.size) this.shares.delete(tenant);
  }

  /** How much of the limits a tenant takes, of the one that it takes more of. */
  private partOf({ size, calculatedSize }: Share<V>): number {
    return Math.max(size / this.limits.entries, calculatedSize / this.limits.size);
  }
}
