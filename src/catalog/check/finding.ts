export const FINDING_GROUPS = ['stale', 'missing', 'dearer', 'cheaper'] as const;
export type FindingGroup = (typeof FINDING_GROUPS)[number];

/** A property of a catalog that its maintainer may want to change. */
export interface Finding {
  readonly group: FindingGroup;
  /** The problem and its consequence. */
  readonly words: string;
  /** The kind of the subjects, in the singular: `model`. */
  readonly kind: string;
  /** The entries it applies to, each with its figures; at least one. */
  readonly subjects: readonly [string, ...string[]];
}

/** The file with the entries of a finding: the checked file, or the shipped one that it extends. */
export type FindingOrigin = 'file' | 'shipped';

/** Empty where it applies to no entry. */
export function findingOf(
  group: FindingGroup,
  kind: string,
  words: string,
  [first, ...others]: readonly string[],
): readonly Finding[] {
  return first === undefined ? [] : [{ group, kind, words, subjects: [first, ...others] }];
}
