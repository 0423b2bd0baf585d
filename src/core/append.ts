/** Adds all items one by one: `push(...more)` is limited in the number of its arguments. */
export function append<Item>(target: Item[], more: Iterable<Item>): void {
  for (const item of more) target.push(item);
}
