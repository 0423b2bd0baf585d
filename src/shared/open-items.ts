/**
 * What is open at the moment, for something that comes and goes with every request. A `Set` grows a new table every few
 * changes, and each old table keeps hold of the next and of what it last held: one that has grown old keeps all that
 * come after it from being collected young (docs/decisions/0014). Here a place is emptied when it is given back.
 */
export class OpenItems<T> implements Iterable<T> {
  /** To be read only. */
  size = 0;
  private readonly places: (T | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns the place, to be given back once */
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
