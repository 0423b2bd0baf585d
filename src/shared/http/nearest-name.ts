import { nearestNames } from '../../core/nearest-names.js';

/** The complaint about an unknown field: names the known one that was probably meant. */
export function suggestField(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? 'is not a known field' : `is not a known field; did you mean ${nearest}?`;
}

/** The same, but lists the known fields where none is similar. */
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
 * @param slips limit of typing errors in a long name
 * @returns undefined where none is similar enough
 */
export const nearestName = (name: string, known: Iterable<string>, slips?: number): string | undefined =>
  nearestNames(name, known, 1, slips)[0];
