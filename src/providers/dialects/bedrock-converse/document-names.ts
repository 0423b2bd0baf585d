const ILLEGAL_CHARACTERS = /[^A-Za-z0-9\s()[\]-]/g;
const DEFAULT_NAME = 'Document';
/** Of 200 that the format allows, with room for a number. */
const NAME_MAX = 190;

/**
 * Names of the documents of one request: letters, digits, single blanks, hyphens, parentheses and brackets, each once.
 * One that comes later never changes those before it. One per attempt.
 */
export class DocumentNames {
  private readonly used = new Set<string>();

  nameOf(title: string | undefined): string {
    const legal = (title ?? '').replace(ILLEGAL_CHARACTERS, '-').replace(/\s+/g, ' ').slice(0, NAME_MAX).trim();
    const stem = legal === '' ? DEFAULT_NAME : legal;
    let name = stem;
    for (let number = 2; this.used.has(name); number++) name = `${stem} (${number})`;
    this.used.add(name);
    return name;
  }
}
