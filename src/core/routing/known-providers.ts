import { PUBLISHED_SLUGS } from './published-slugs.js';

// Slugs of display names (docs/use/choosing-providers.md#provider-names) that do not normalize to their slug. `Z.AI`
// and `Arcee AI` need no entry.
const SLUG_OF_NAME: readonly (readonly [name: string, slug: string])[] = [
  ['Google', 'google-vertex'],
  ['Mancer 2', 'mancer'],
  ['Claude Platform on AWS', 'claude-on-aws'],
  ['VoyageAI by MongoDB', 'voyageai'],
];

// Display names (docs/use/choosing-providers.md#provider-names) that have no slug.
const NAMES_WITHOUT_SLUG = ['Crucible', 'Stealth', 'FakeProvider'];

/**
 * Normalizes a provider's name or slug to lower case without spaces, dots, hyphens and underscores, so that `Z.AI`,
 * `z-ai` and `zai` are equal.
 */
export function normalizeName(name: string): string {
  let normalized = '';
  for (let index = 0; index < name.length; index++) {
    const code = normalizedCode(name.charCodeAt(index));
    if (code !== SEPARATOR) normalized += String.fromCharCode(code);
  }
  return normalized;
}

/** Whether `normalizeName(name)` equals `normalized`. Allocates nothing: plans compare every endpoint. */
export function normalizesTo(name: string, normalized: string): boolean {
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
/** The part of a slug before the slash is a slug as well. */
const KNOWN = new Set([...PUBLISHED_SLUGS, ...NAMES_WITHOUT_SLUG].map((name) => normalizeName(name.split('/', 1)[0]!)));

/** The normalized slug of a normalized display name, where the two differ. */
export const findSlugOfName = (normalized: string): string | undefined => NORMALIZED_SLUG_OF_NAME.get(normalized);

/**
 * Whether the normalized name or slug is listed in docs/use/choosing-providers.md#provider-names or
 * docs/operate/byok.md#provider-slugs.
 */
export const isKnownName = (normalized: string): boolean =>
  KNOWN.has(normalized) || NORMALIZED_SLUG_OF_NAME.has(normalized);
