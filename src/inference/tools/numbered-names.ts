/** Adds a number to names that are taken. The set of taken names may grow, and never shrinks. */
export class NumberedNames {
  /** The first number that may be free, by name: thousands of tools may have one name. */
  private readonly numbers = new Map<string, number>();

  constructor(private readonly taken: ReadonlySet<string>) {}

  /** The name, or a numbered one that is not taken at this moment. */
  of(name: string): string {
    let number = this.numbers.get(name) ?? 1;
    while (this.taken.has(numbered(name, number))) number++;
    this.numbers.set(name, number);
    return numbered(name, number);
  }
}

const numbered = (name: string, number: number): string => (number === 1 ? name : `${name}_${number}`);
