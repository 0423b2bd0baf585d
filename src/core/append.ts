/** Adds all, one by one: a call such as `push(...more)` does not take as many arguments as there may be. */
export function append<Item>(target: Item[], more: Iterable<Item>): void {
  for (const item of more) target.push(item);
}
