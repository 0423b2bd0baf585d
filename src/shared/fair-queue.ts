/**
 * What waits, by whose it is: taken by turns, one of each share, so that one share's many wait for one another and for
 * nobody else. Of the places a share may have as many as it leaves free: whoever comes last still finds one.
 */
export class FairQueue<Item> {
  /** To be read only. */
  size = 0;
  /** Those of a share in their order. The share whose turn is next stands first; one is in it while it has any. */
  private readonly shares = new Map<string, Item[]>();

  /** @param places for all that waits */
  constructor(private readonly places: number) {}

  /** @returns false when there is no place left for this share */
  add(share: string, item: Item): boolean {
    const own = this.shares.get(share);
    if ((own?.length ?? 0) >= this.places - this.size) return false;
    if (own) own.push(item);
    else this.shares.set(share, [item]);
    this.size++;
    return true;
  }

  /** @returns the next, at most so many; those of one share in the order they came */
  take(count: number): Item[] {
    const taken: Item[] = [];
    while (this.size > 0 && taken.length < count) {
      const [share, own] = this.shares.entries().next().value!;
      taken.push(own.shift()!);
      this.size--;
      // Behind all others, if it has more.
      this.shares.delete(share);
      if (own.length > 0) this.shares.set(share, own);
    }
    return taken;
  }
}
