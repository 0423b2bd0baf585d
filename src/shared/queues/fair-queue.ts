interface Share<Item> {
  readonly name: string;
  /** Items in order. */
  readonly items: Item[];
}

/**
 * A queue with one share per owner, served round robin, so that the items of one share delay only each other. A share
 * may occupy as many slots as it leaves free, so that a new share always finds one.
 */
export class FairQueue<Item> {
  /** Read only. */
  size = 0;
  /** Contains the shares that have items. */
  private readonly shares = new Map<string, Share<Item>>();
  /** The shares in the order of their turns. */
  private readonly turns: Share<Item>[] = [];

  /** @param capacity the number of items that may wait */
  constructor(private readonly capacity: number) {}

  /** @returns false when there is no slot left for this share */
  add(share: string, item: Item): boolean {
    let own = this.shares.get(share);
    if ((own?.items.length ?? 0) >= this.capacity - this.size) return false;
    if (!own) {
      this.shares.set(share, (own = { name: share, items: [] }));
      this.turns.push(own);
    }
    own.items.push(item);
    this.size++;
    return true;
  }

  /** @returns the next items, at most `count`; those of one share in order of arrival */
  take(count: number): Item[] {
    const taken: Item[] = [];
    while (this.size > 0 && taken.length < count) {
      const own = this.turns.shift()!;
      taken.push(own.items.shift()!);
      this.size--;
      // An owner with further items waits behind all others.
      if (own.items.length > 0) this.turns.push(own);
      else this.shares.delete(own.name);
    }
    return taken;
  }
}
