/**
 * A set of items that are open, with cheap changes for every request. A `Set` allocates a new table every few changes,
 * and each old table references the next and its last contents: one in the old generation keeps all later ones from
 * being collected young (docs/contribute/decisions/0087). Here a slot is cleared when it is returned.
 */
export class OpenItems<T> implements Iterable<T> {
  /** Read only. */
  size = 0;
  private readonly slots: (T | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns the handle, to be returned once */
  add(value: T): number {
    const handle = this.free.pop() ?? this.slots.length;
    this.slots[handle] = value;
    this.size++;
    return handle;
  }

  remove(handle: number): void {
    this.slots[handle] = undefined;
    this.free.push(handle);
    this.size--;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const value of this.slots) if (value !== undefined) yield value;
  }
}
