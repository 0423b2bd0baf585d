/** Labels by name, for records and budgets (docs/use/tags.md). */
export type Tags = Readonly<Record<string, string>>;

/** Tags of a request, of a key or of a workspace. */
export const TAGS_MAX = 10;
/** Characters of a value. */
export const TAG_VALUE_MAX = 128;

/** Sets a tag, whatever its name: an assignment to `__proto__` would set no member. */
export function setTag(tags: Record<string, string>, name: string, value: string): void {
  if (name !== '__proto__') tags[name] = value;
  else Object.defineProperty(tags, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The tags of both; of a name that both have, the value of the first. Absent: none. */
export function tagsOver(first: Tags | undefined, second: Tags | undefined): Tags | undefined {
  if (!first || !second) return first ?? second;
  const both: Record<string, string> = {};
  // In place: spread syntax takes four times as long.
  for (const name in second) setTag(both, name, second[name]!);
  for (const name in first) setTag(both, name, first[name]!);
  return both;
}
