interface Share<Item> {
  readonly name: string;
  /** In their order. */
  readonly items: Item[];
}

/**
 * What waits, by whose it is: taken by turns, one of each share, so that one share's many wait for one another and for
 * nobody else. Of the places a share may have as many as it leaves free: whoever comes last still finds one.
 */
export class FairQueue<Item> {
  /** To be read only. */
  size = 0;
  /** A share is in it while it has something. */
  private readonly shares = new Map<string, Share<Item>>();
  /** The same by whose turn is next. */
  private readonly turns: Share<Item>[] = [];

  /** @param places for all that waits */
  constructor(private readonly places: number) {}

  /** @returns false when there is no place left for this share */
  add(share: string, item: Item): boolean {
    let own = this.shares.get(share);
    if ((own?.items.length ?? 0) >= this.places - this.size) return false;
    if (!own) {
      this.shares.set(share, (own = { name: share, items: [] }));
      this.turns.push(own);
    }
    own.items.push(item);
    this.size++;
    return true;
  }

  /** @returns the next, at most so many; those of one share in the order they came */
  take(count: number): Item[] {
    const taken: Item[] = [];
    while (this.size > 0 && taken.length < count) {
      const own = this.turns.shift()!;
      taken.push(own.items.shift()!);
      this.size--;
      // Behind all others, if it has more.
      if (own.items.length > 0) this.turns.push(own);
      else this.shares.delete(own.name);
    }
    return taken;
  }
}
