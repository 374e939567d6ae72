/**
 * A cache shared by tenants. Entries of the tenant with the largest share are evicted first, so that one tenant's flood does not affect the
 * others.
 */
import { LRUCache } from "lru-cache";

export interface CacheLimits {
  /** Maximum number of entries of all tenants together. */
  entries: number;
  /** Maximum total size, in the unit of `set`. */
  size: number;
  /** Maximum size of an entry. Larger ones are not cached. */
  each: number;
}

/** Entries of a tenant, ordered by their last use by any tenant. */
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

  /** Stores a value for all tenants and charges it to one tenant. An existing key keeps its value and its owner. */
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

  /** The tenant's share of the entry limit or the size limit, the larger of the two. */
  private partOf({ size, calculatedSize }: Share<V>): number {
    return Math.max(size / this.limits.entries, calculatedSize / this.limits.size);
  }
}
