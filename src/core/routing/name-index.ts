/** Characters of an unknown name that are compared: the caller's may be megabytes long. */
const COMPARED_MAX = 64;
const GRAM_LENGTH = 3;
/** Less in common than this share is no likeness. Chosen. */
const LIKENESS_MIN = 0.2;

/**
 * Finds names that are like one that is not among them, by the triples of characters they share (Dice's coefficient).
 * The names are taken apart once: a look counts the entries that share a triple, where edit distances would cost the
 * whole catalog times the length of both.
 */
export class NameIndex {
  private readonly ids: string[] = [];
  private readonly sizes: number[] = [];
  private readonly entriesOf = new Map<string, number[]>();

  /** @param entries names, each with the id it stands for; an id may have several */
  constructor(entries: Iterable<readonly [name: string, id: string]>) {
    for (const [name, id] of entries) {
      const grams = gramsOf(name);
      const entry = this.ids.push(id) - 1;
      this.sizes.push(grams.size);
      for (const gram of grams) {
        const entries = this.entriesOf.get(gram);
        if (entries) entries.push(entry);
        else this.entriesOf.set(gram, [entry]);
      }
    }
  }

  /** Ids, each once, the nearest first; of two alike the one that came first. */
  of(name: string, most: number): readonly string[] {
    const grams = gramsOf(name);
    const shared = new Uint16Array(this.ids.length);
    for (const gram of grams) for (const entry of this.entriesOf.get(gram) ?? []) shared[entry]!++;
    const likeness = new Map<string, number>();
    this.ids.forEach((id, entry) => {
      const share = (2 * shared[entry]!) / (grams.size + this.sizes[entry]!);
      if (share >= LIKENESS_MIN && share > (likeness.get(id) ?? 0)) likeness.set(id, share);
    });
    return [...likeness]
      .sort(([, one], [, other]) => other - one)
      .slice(0, most)
      .map(([id]) => id);
  }
}

/** Case and separators are no difference; the ends count as characters, for beginnings are what names are known by. */
function gramsOf(name: string): ReadonlySet<string> {
  const plain = `  ${name
    .slice(0, COMPARED_MAX)
    .toLowerCase()
    .replaceAll(/[-_.:/ ]+/g, ' ')} `;
  const grams = new Set<string>();
  for (let index = 0; index + GRAM_LENGTH <= plain.length; index++) grams.add(plain.slice(index, index + GRAM_LENGTH));
  return grams;
}
