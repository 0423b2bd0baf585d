import { nearestNames } from '../../core/nearest-names.js';

/** The complaint about an unknown field: names the known one that was probably meant. */
export function suggestField(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? 'is not a known field' : `is not a known field; did you mean ${nearest}?`;
}

/** Names the similar field, or lists the known fields if none is similar. */
export function suggestOrListFields(name: string, known: readonly string[]): string {
  const reason = suggestField(name, known);
  const isNear = nearestName(name, known) !== undefined;
  return isNear || known.length === 0 ? reason : `${reason}; the known ones are ${known.join(', ')}`;
}

/** The complaint about an unknown query parameter: names the most similar one, or all of them. */
export function suggestOrListParameters(name: string, known: readonly string[]): string {
  const reason = 'is not a known parameter';
  if (known.length === 0) return `${reason}; this route takes none`;
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `${reason}; the known ones are ${known.join(', ')}`
    : `${reason}; did you mean ${nearest}?`;
}

/**
 * @param typosMax limit of typing errors in a long name
 * @returns undefined where none is similar enough
 */
export const nearestName = (name: string, known: Iterable<string>, typosMax?: number): string | undefined =>
  nearestNames(name, known, 1, typosMax)[0];

/** Characters in which a prefix is looked for. */
const PREFIXED_MAX = 64;
/** The prefix of a tool's name: another owner, in any of the usual forms. */
const PREFIX = /^\s*(?:[\w-]*[:./\s]+|(?:open[_-]?router|fairlead)[_-])/i;
/** Maximum number of typing errors in a name behind a wrong prefix. */
const BEHIND_PREFIX_SLIPS_MAX = 2;

/**
 * The known name with a prefix that is meant by the same name with another one: `fairlead:web_search` is
 * `openrouter:web_search`.
 */
export function nearestUnderPrefix(name: string, known: readonly string[]): string | undefined {
  const prefix = PREFIX.exec(name.slice(0, PREFIXED_MAX))?.[0];
  if (prefix === undefined) return undefined;
  const prefixed = known.filter((candidate) => candidate.includes(':'));
  const bare = prefixed.map((candidate) => candidate.slice(candidate.indexOf(':') + 1));
  const nearest = nearestName(name.slice(prefix.length).trimEnd(), bare, BEHIND_PREFIX_SLIPS_MAX);
  return nearest === undefined ? undefined : prefixed[bare.indexOf(nearest)];
}
