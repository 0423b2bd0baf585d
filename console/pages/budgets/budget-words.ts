import type { SubjectBudget } from '../../api/schema.js';

/** The scopes, as a reader knows them. */
export const SCOPES = [
  { value: 'users', label: 'end user' },
  { value: 'members', label: 'member' },
  { value: 'tags', label: 'tag' },
] as const;

const DEFAULT = 'default';

/** Whether it is for all in its scope who have none of their own. */
export const isDefault = ({ id }: Pick<SubjectBudget, 'id'>): boolean => id === DEFAULT;

export const scopeWord = (scope: SubjectBudget['scope']): string => SCOPES.find(({ value }) => value === scope)!.label;

/** Subject of a budget in words. */
export const subjectWords = ({ scope, id }: Pick<SubjectBudget, 'scope' | 'id'>): string =>
  id === DEFAULT ? `all other ${scopeWord(scope)}s` : id;

/** Identity of a budget. */
export interface BudgetName {
  readonly scope: string;
  readonly id: string;
  readonly interval: string;
}

/** The inputs of its operations. The id is in the query: as a part of a path browsers resolve `.` and `..`. */
export const budgetInputs = ({
  scope,
  id,
  interval,
}: BudgetName): { readonly path: BudgetName; readonly query: { readonly id: string } } => ({
  path: { scope, id: '-', interval },
  query: { id },
});
