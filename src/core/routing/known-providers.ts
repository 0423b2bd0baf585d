import { PUBLISHED_SLUGS } from './published-slugs.js';

// Display names (docs/wire/routing.md#provider-names) whose letters are not those of the slug. `Z.AI` and
// `Arcee AI` need no line.
const SLUG_OF_NAME: readonly (readonly [name: string, slug: string])[] = [
  ['Google', 'google-vertex'],
  ['Mancer 2', 'mancer'],
  ['Claude Platform on AWS', 'claude-on-aws'],
  ['VoyageAI by MongoDB', 'voyageai'],
];

// Display names (docs/wire/routing.md#provider-names) that no slug belongs to.
const NAMES_WITHOUT_SLUG = ['Crucible', 'Stealth', 'FakeProvider'];

/**
 * A provider's name or slug in the one form in which two ways of writing it are equal: lower case, without spaces,
 * dots, hyphens and underscores. `Z.AI`, `z-ai` and `zai` are one provider.
 */
export function normalizeName(name: string): string {
  let normalized = '';
  for (let index = 0; index < name.length; index++) {
    const code = normalizedCode(name.charCodeAt(index));
    if (code !== SEPARATOR) normalized += String.fromCharCode(code);
  }
  return normalized;
}

/** Whether `normalizeName(name)` is this, without making it: plans ask it of every endpoint. */
export function postingsTo(name: string, normalized: string): boolean {
  let matched = 0;
  for (let index = 0; index < name.length; index++) {
    const code = normalizedCode(name.charCodeAt(index));
    if (code === SEPARATOR) continue;
    if (code !== normalized.charCodeAt(matched)) return false;
    matched++;
  }
  return matched === normalized.length && matched > 0;
}

const SEPARATOR = -1;
const SEPARATORS = new Set([' ', '-', '.', '_'].map((separator) => separator.charCodeAt(0)));
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const TO_LOWER_CASE = 0x20;

function normalizedCode(code: number): number {
  if (code >= CAPITAL_A && code <= CAPITAL_Z) return code + TO_LOWER_CASE;
  return SEPARATORS.has(code) ? SEPARATOR : code;
}

const NORMALIZED_SLUG_OF_NAME = new Map(SLUG_OF_NAME.map(([name, slug]) => [normalizeName(name), normalizeName(slug)]));
/** What stands before the slash of a slug is one itself. */
const KNOWN = new Set([...PUBLISHED_SLUGS, ...NAMES_WITHOUT_SLUG].map((name) => normalizeName(name.split('/', 1)[0]!)));

/** The normalized slug a normalized display name stands for, where its letters are others. */
export const findSlugOfName = (normalized: string): string | undefined => NORMALIZED_SLUG_OF_NAME.get(normalized);

/**
 * Whether the normalized name or slug is on a list of docs/wire/routing.md#provider-names or
 * docs/byok.md#provider-slugs.
 */
export const isKnownName = (normalized: string): boolean =>
  KNOWN.has(normalized) || NORMALIZED_SLUG_OF_NAME.has(normalized);
