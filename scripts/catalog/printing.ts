/** Syntax of values in the catalog. */

export const list = (items: readonly string[]): string => `[${items.join(', ')}]`;

export const text = (value: string): string => JSON.stringify(value);

/** A name with what means something else in YAML is written as text. */
export const scalar = (value: string): string => (/^[\w./-]+$/.test(value) ? value : text(value));

export const object = (members: readonly string[]): string => `{ ${members.join(', ')} }`;

/** A number of USD, as the decimal text that the catalog has. */
export function decimal(value: number): string {
  const written = String(value);
  if (!/^\d+(\.\d{1,6})?$/.test(written)) throw new Error(`${written} is not a price.`);
  return text(written);
}

/** The source of each figure of an entry, by the key of the catalog file. */
export type Origins = Readonly<Record<string, string>>;

export const originsOf = (origins: Origins): string =>
  object(Object.entries(origins).map(([key, id]) => `${key}: ${id}`));

/** An entry of the catalog, and the origins of its figures. */
export interface WrittenEntry {
  readonly lines: readonly string[];
  readonly origins: Origins;
}
