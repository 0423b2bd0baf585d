/** The name, with a number behind it where it is taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
  return unique;
}
