/**
 * The caller's names of fields, by their names in the Messages format, in which errors are written. Each other format
 * of callers has one such table; a field without an entry has the same name.
 */
export type FieldNames = Readonly<Partial<Record<string, string>>>;

/**
 * The path by the names of the caller's format.
 * @param path `stop_sequences`, `messages.3`
 * @param names absent: the caller uses the Messages format
 */
export function inWordsOf(names: FieldNames | undefined, path: string): string {
  if (names === undefined) return path;
  const end = path.indexOf('.');
  const field = end === -1 ? path : path.slice(0, end);
  // Entries are own members: a path may begin with any name that the caller chose.
  return Object.hasOwn(names, field) ? names[field]! + path.slice(field.length) : path;
}
