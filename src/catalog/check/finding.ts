export const FINDING_GROUPS = ['stale', 'missing', 'dearer', 'cheaper'] as const;
export type FindingGroup = (typeof FINDING_GROUPS)[number];

/** Something about a catalog that its keeper may want to do something about. */
export interface Finding {
  readonly group: FindingGroup;
  /** What is the matter, and what follows from it. */
  readonly words: string;
  /** What kind of thing the subjects are, in the singular: `model`. */
  readonly kind: string;
  /** What it is true of, each with its figures; at least one. */
  readonly subjects: readonly [string, ...string[]];
}

/** Where the entries of a finding stand: in the file that is judged, or in the shipped one that it extends. */
export type FindingOrigin = 'file' | 'shipped';

/** Nothing where it is true of nothing. */
export function findingOf(
  group: FindingGroup,
  kind: string,
  words: string,
  [first, ...others]: readonly string[],
): readonly Finding[] {
  return first === undefined ? [] : [{ group, kind, words, subjects: [first, ...others] }];
}
