/**
 * A set of items that are open, with cheap changes for every request. A `Set` allocates a new table every few changes,
 * and each old table references the next and its last contents: one in the old generation keeps all later ones from
 * being collected young (docs/contribute/decisions/0087). Here a place is cleared when it is returned.
 */
export class OpenItems<T> implements Iterable<T> {
  /** Read only. */
  size = 0;
  private readonly places: (T | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns the place, to be returned once */
  add(value: T): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = value;
    this.size++;
    return place;
  }

  remove(place: number): void {
    this.places[place] = undefined;
    this.free.push(place);
    this.size--;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const value of this.places) if (value !== undefined) yield value;
  }
}
