/** Limit of compared characters of an unknown name: a caller's may be megabytes long. */
const COMPARED_MAX = 64;
const GRAM_LENGTH = 3;
/** Minimum similarity to be offered. Chosen. */
const LIKENESS_MIN = 0.2;

/**
 * Finds names similar to an unknown one, by the character triples they share (Dice's coefficient). The names are split
 * once, so a look-up counts the entries that share a triple; edit distances would cost the size of the catalog times
 * the length of both.
 */
export class NameIndex {
  private readonly ids: string[] = [];
  private readonly sizes: number[] = [];
  private readonly entriesOf = new Map<string, number[]>();

  /** @param entries names, each with its id; an id may have several */
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

  /** Distinct ids, the nearest first; ties in the order of the entries. */
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

/** Case and separators are ignored. The ends count as characters, because names are recognised by their beginnings. */
function gramsOf(name: string): ReadonlySet<string> {
  const plain = `  ${name
    .slice(0, COMPARED_MAX)
    .toLowerCase()
    .replaceAll(/[-_.:/ ]+/g, ' ')} `;
  const grams = new Set<string>();
  for (let index = 0; index + GRAM_LENGTH <= plain.length; index++) grams.add(plain.slice(index, index + GRAM_LENGTH));
  return grams;
}
