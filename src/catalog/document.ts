import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { CatalogFault } from './fault.js';

/** Path from the root of a document to one of its fields. */
export type FieldPath = readonly (string | number)[];

/** Limit of an anchor's uses, times what it nests: beyond, a file is an attack on memory rather than a catalog. */
const ALIASES_MAX = 1000;

/** A parsed catalog file. Collects its faults, each at the line of its field. */
export class CatalogDocument {
  /** Plain data with aliases and merges resolved; undefined when the text is not YAML. */
  readonly value: unknown;
  readonly faults: CatalogFault[] = [];
  private parsed: { readonly yaml: Document; readonly lines: LineCounter } | undefined;

  /**
   * @param text YAML or JSON; YAML includes JSON, so one parser reads both
   * @param known the value of this same text, where it was parsed before without a fault: saves nearly all of the work
   */
  constructor(
    readonly file: string,
    private readonly text: string,
    known?: unknown,
  ) {
    if (known !== undefined) {
      this.value = known;
      return;
    }
    // Warnings are raised for unknown tags: the author meant something that would not happen.
    for (const { code, message, pos } of [...this.yaml.errors, ...this.yaml.warnings]) {
      this.refuseAt(pos[0], code === 'DUPLICATE_KEY' ? 'is given twice' : `is not valid YAML: ${message}`);
    }
    if (this.faults.length === 0) this.value = this.toPlain();
  }

  private get yaml(): Document {
    return this.parse().yaml;
  }

  /** Where the value is known, the text is parsed only for the line of a fault. */
  private parse(): NonNullable<typeof this.parsed> {
    if (this.parsed) return this.parsed;
    const lines = new LineCounter();
    const yaml = parseDocument(this.text, { lineCounter: lines, merge: true, prettyErrors: false, uniqueKeys: true });
    return (this.parsed = { yaml, lines });
  }

  refuse(path: FieldPath, message: string): void {
    this.faults.push({ file: this.file, line: this.lineOf(path), field: path.join('.'), message });
  }

  private refuseAt(offset: number, message: string): void {
    const field = fieldAt(this.yaml.contents, offset).join('.');
    this.faults.push({ file: this.file, line: this.lineAt(offset), field, message });
  }

  private toPlain(): unknown {
    visit(this.yaml, {
      Alias: (_, alias) => {
        if (alias.resolve(this.yaml)) return;
        this.refuseAt(startOf(alias), `names "${alias.source}", an anchor that is not set before`);
      },
    });
    if (this.faults.length > 0) return undefined;
    try {
      return this.yaml.toJS({ maxAliasCount: ALIASES_MAX });
    } catch (error) {
      this.refuse([], `is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** The line of a field, or of its nearest parent that is written in the file. */
  private lineOf(path: FieldPath): number {
    let node: unknown = this.yaml.contents;
    let offset = startOf(node);
    for (const step of path) {
      const parent = isAlias(node) ? node.resolve(this.yaml) : node;
      if (isMap(parent)) {
        const pair = this.pairOf(parent, step);
        if (!pair) break;
        offset = startOf(pair.key);
        node = pair.value;
      } else if (isSeq(parent) && typeof step === 'number') {
        node = parent.items[step];
        offset = startOf(node);
      } else break;
    }
    return this.lineAt(offset);
  }

  private pairOf(map: YAMLMap, key: string | number): Pair | undefined {
    const own = map.items.find((pair) => nameOf(pair) === key);
    if (own) return own;
    for (const merge of map.items.filter((pair) => nameOf(pair) === MERGE)) {
      for (const source of isSeq(merge.value) ? merge.value.items : [merge.value]) {
        const merged = isAlias(source) ? source.resolve(this.yaml) : source;
        const inherited = isMap(merged) ? this.pairOf(merged, key) : undefined;
        if (inherited) return inherited;
      }
    }
    return undefined;
  }

  private lineAt(offset: number): number {
    // An offset before the first line, as in an empty file, counts as line 0.
    return Math.max(1, this.parse().lines.linePos(offset).line);
  }
}

const MERGE = '<<';

/** The parser represents the key of a merge by a symbol. */
const nameOf = ({ key }: Pair): string => (isScalar(key) && typeof key.value === 'symbol' ? MERGE : String(key));

const startOf = (node: unknown): number => (isNode(node) && node.range ? node.range[0] : 0);
const endOf = (node: unknown): number => (isNode(node) && node.range ? node.range[2] : 0);

/** The innermost field around an offset in the text: the parser reports offsets, authors need field names. */
function fieldAt(node: unknown, offset: number): FieldPath {
  if (isMap(node)) {
    const pair = node.items.find(
      ({ key, value }) => startOf(key) <= offset && offset < Math.max(endOf(key), endOf(value)),
    );
    return pair ? [nameOf(pair), ...fieldAt(pair.value, offset)] : [];
  }
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => startOf(item) <= offset && offset < endOf(item));
    return index >= 0 ? [index, ...fieldAt(node.items[index], offset)] : [];
  }
  return [];
}
