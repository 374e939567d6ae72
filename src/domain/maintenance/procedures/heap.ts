/** Items of which the smallest is removed first. */
export class Heap<Item> {
  private readonly items: Item[] = [];

  /** `compare`: as of `Array.sort`. */
  constructor(private readonly compare: (a: Item, b: Item) => number) {}

  push(item: Item): void {
    const { items } = this;
    let at = items.length;
    for (let above = (at - 1) >> 1; at > 0 && this.compare(item, items[above]!) < 0; above = (at - 1) >> 1) {
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  /** Removes the smallest item. Undefined if there is none. */
  pop(): Item | undefined {
    const { items } = this;
    const [smallest] = items;
    const last = items.pop();
    if (last === undefined || !items.length) return smallest;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < items.length && this.compare(items[below + 1]!, items[below]!) < 0) below++;
      if (below >= items.length || this.compare(last, items[below]!) <= 0) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = last;
    return smallest;
  }
}
