const ILLEGAL_CHARACTERS = /[^A-Za-z0-9\s()[\]-]/g;
const DEFAULT_NAME = 'Document';
/** The format allows 200; the rest is for a number. */
const NAME_MAX = 190;

/**
 * Names of the documents of one request: letters, digits, single blanks, hyphens, parentheses and brackets. Each is
 * unique. A later document never changes an earlier name. One per attempt.
 */
export class DocumentNames {
  private readonly used = new Set<string>();
  /** The number of the last document with each title: a search from the beginning would take quadratic time. */
  private readonly numbers = new Map<string, number>();

  nameOf(title: string | undefined): string {
    const legal = (title ?? '').replace(ILLEGAL_CHARACTERS, '-').replace(/\s+/g, ' ').slice(0, NAME_MAX).trim();
    const stem = legal === '' ? DEFAULT_NAME : legal;
    let number = this.numbers.get(stem) ?? 1;
    let name = number === 1 ? stem : `${stem} (${number})`;
    while (this.used.has(name)) name = `${stem} (${++number})`;
    this.numbers.set(stem, number);
    this.used.add(name);
    return name;
  }
}
