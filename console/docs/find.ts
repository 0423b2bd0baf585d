export type Kind = 'operation' | 'guide' | 'field' | 'status' | 'error kind';

/** An entry of the search index: kind, title, title of its page, searched text, address. */
export type Found = readonly [kind: Kind, title: string, of: string, text: string, path: string];

export interface Hit {
  readonly kind: Kind;
  readonly title: string;
  readonly of: string;
  /** The words around the first match; empty where the title has them all. */
  readonly excerpt: string;
  readonly path: string;
  readonly words: readonly string[];
}

/** Characters of an excerpt before and behind the match. */
const BEFORE = 50;
const BEHIND = 110;

/** Everything that has all words of a phrase; first what has them in its name, exactly before partly. */
export function find(index: readonly Found[], phrase: string): readonly Hit[] {
  const words = phrase.toLowerCase().split(/\s+/);
  const has = (text: string): boolean => words.every((word) => text.includes(word));
  const ranked: (readonly [rank: number, hit: Hit])[] = [];
  for (const [kind, title, of, text, path] of index) {
    const [name, all] = [title.toLowerCase(), `${title} ${of} ${text}`.toLowerCase()];
    if (!has(all)) continue;
    const isNamed = has(name);
    const rank = name === phrase.toLowerCase() ? 0 : isNamed ? 1 : 2;
    ranked.push([rank, { kind, title, of, excerpt: excerptOf(text, words), path, words }]);
  }
  return ranked.toSorted(([one], [other]) => one - other).map(([, hit]) => hit);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const [from, to] = [Math.max(0, first - BEFORE), first + BEHIND];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** A text in parts, by whether they are one of the words. */
export function partsOf(
  text: string,
  words: readonly string[],
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')})`,
    'gi',
  );
  return text
    .split(pattern)
    .map((part, index) => ({ text: part, isMatch: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
