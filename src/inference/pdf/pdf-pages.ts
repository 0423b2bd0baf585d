/** Thrown where a document may contain more than this reader finds. */
export class Unmeasurable extends Error {}

/** The texts that define objects, and the value of each definition: a dictionary, a list, a number. */
export interface PdfObjects {
  readonly structures: readonly string[];
  /** All definitions of each object number: a file may contain older versions of itself. */
  readonly definitions: ReadonlyMap<string, readonly string[]>;
}

const OBJECT = /(\d+)\s+\d+\s+obj\b/g;
const ROOT = /(?<!\/Type\s*)\/Pages\b\s*(?:(\d+)\s+\d+\s+R\b)?/g;
const KIDS = /\/Kids\b\s*(?:\[([^\]]*)\])?/g;
const PAGE = /\/Type\s*\/Page(?![A-Za-z0-9])/g;
const REFERENCES_ONLY = /^\s*(?:\d+\s+\d+\s+R\s*)*$/;
const REFERENCE = /(\d+)\s+\d+\s+R\b/g;
const BRACKETS = /\\.|<<|>>|[()[\]]/gs;

/** @param holders the object streams: their dictionaries and their contents */
export function findObjects(outside: string, holders: readonly (readonly [string, string])[]): PdfObjects {
  const definitions = new Map<string, string[]>();
  const define = (number: string, text: string): void => {
    const others = definitions.get(number);
    if (others) others.push(text);
    else definitions.set(number, [text]);
  };
  for (const match of outside.matchAll(OBJECT)) {
    const begin = match.index + match[0].length;
    const end = outside.indexOf('endobj', begin);
    define(match[1]!, outside.slice(begin, end === -1 ? undefined : end));
  }
  for (const [dictionary, body] of holders) {
    const [, offset, another] = dictionary.split('/First');
    const first = Number(/^\s+(\d+)(?!\d|\s+\d+\s+R\b)/.exec(offset ?? '')?.[1]);
    if (!(first >= 0) || another !== undefined) throw new Unmeasurable();
    // Pairs of an object's number and its offset from the first object.
    const table = body.slice(0, first).match(/\d+/g) ?? [];
    const offsets = table.filter((_, index) => index % 2 === 1).map((offset) => first + Number(offset));
    const inOrder = [...new Set(offsets)].sort((one, other) => one - other);
    const nextOf = new Map(inOrder.map((offset, index) => [offset, inOrder[index + 1] ?? body.length]));
    offsets.forEach((offset, index) => define(table[2 * index]!, body.slice(offset, nextOf.get(offset))));
  }
  return { structures: [outside, ...holders.map(([, body]) => body)], definitions };
}

/**
 * Counts the leaves of all page trees that a catalogue names, but at least all objects of the type page, because
 * readers repair broken files.
 * @throws Unmeasurable where a page or a node has several parents, or where that is uncertain
 */
export function countPages({ structures, definitions }: PdfObjects): number {
  let named = 0;
  const roots = new Set<string>();
  for (const structure of structures) {
    named += countMatches(structure, PAGE);
    for (const [, root] of structure.matchAll(ROOT)) {
      if (root === undefined) throw new Unmeasurable();
      roots.add(root);
    }
  }
  if (roots.size === 0) throw new Unmeasurable();
  // Grows during the iteration.
  const reached = new Set(roots);
  let leaves = 0;
  for (const number of reached) {
    const children = childrenOf(definitions.get(number));
    if (children.size === 0) leaves++;
    for (const child of children) {
      if (reached.has(child)) throw new Unmeasurable();
      reached.add(child);
    }
  }
  return Math.max(named, leaves);
}

/** The children in all versions of a node, because a reader uses one of them. */
function childrenOf(definitions: readonly string[] = ['']): ReadonlySet<string> {
  const children = new Set<string>();
  for (const definition of definitions) {
    if (!definition.trimStart().startsWith('<<') || !isWhole(definition)) throw new Unmeasurable();
    const own = new Set<string>();
    for (const [, kids] of definition.matchAll(KIDS)) addReferences(kids, own);
    for (const child of own) children.add(child);
  }
  return children;
}

/** @throws Unmeasurable where an object is referred to twice, or where the list contains anything else */
export function addReferences(list: string | undefined, into: Set<string>): void {
  if (list === undefined || !REFERENCES_ONLY.test(list)) throw new Unmeasurable();
  for (const [, number] of list.matchAll(REFERENCE)) {
    if (into.has(number!)) throw new Unmeasurable();
    into.add(number!);
  }
}

export function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

/** Every bracket is closed, so that the text really ends where it seems to. */
function isWhole(text: string): boolean {
  let depth = 0;
  let inString = 0;
  for (const [bracket] of text.matchAll(BRACKETS)) {
    if (bracket === '(') inString++;
    else if (inString > 0) inString -= bracket === ')' ? 1 : 0;
    else if (bracket === '<<' || bracket === '[') depth++;
    else if (bracket === '>>' || bracket === ']') depth--;
    if (depth < 0) return false;
  }
  return depth === 0 && inString === 0;
}
