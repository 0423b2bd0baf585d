import { hash } from 'node:crypto';
import { shortEndUser } from '../core/end-user.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';

/**
 * Kinds of subjects whose spend budgets cap, in addition to keys, workspaces and guardrails: end users, members, values
 * of tags.
 */
export const SUBJECT_SCOPES = ['users', 'members', 'tags'] as const;
export type SubjectScope = (typeof SUBJECT_SCOPES)[number];

/** The id of the budget of all in a scope who have none of their own. */
export const DEFAULT_SUBJECT = 'default';

/** One user, member or tag (`name=value`). */
export interface BudgetSubject {
  readonly scope: SubjectScope;
  readonly id: string;
  /** Names its budgets and its counters: callers make ids, which may be long. */
  readonly scopeId: string;
}

/** The default has the account as its `scopeId`, by which statements find it. */
export function subjectOf(accountId: string, scope: SubjectScope, id: string): BudgetSubject {
  // One format shortens ids of users. All ids are shortened here, so that a user has the same budget in every format.
  const named = scope === 'users' ? shortEndUser(id) : id;
  const scopeId = id === DEFAULT_SUBJECT ? accountId : hash('sha256', `${accountId}/${scope}/${named}`, 'hex');
  return { scope, id, scopeId };
}

/** The end user of a request; undefined: none is named. */
export function endUserOf({ user, metadata }: Pick<ModelRequest, 'user' | 'metadata'>): string | undefined {
  if (user !== undefined) return user;
  const named = metadata?.vendor === 'anthropic' ? metadata.value['user_id'] : undefined;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/**
 * The subjects whose budgets a request counts for.
 * @param scopes in which the account has budgets
 */
export function subjectsOf(
  scopes: readonly SubjectScope[],
  { accountId, userId }: Caller,
  request: Pick<ModelRequest, 'user' | 'metadata' | 'tags'>,
): readonly BudgetSubject[] {
  const subjects: BudgetSubject[] = [];
  for (const scope of scopes)
    for (const id of idsOf(scope, userId, request)) subjects.push(subjectOf(accountId, scope, id));
  return subjects;
}

function idsOf(
  scope: SubjectScope,
  member: string | null,
  request: Pick<ModelRequest, 'user' | 'metadata' | 'tags'>,
): readonly string[] {
  switch (scope) {
    case 'users':
      return present(endUserOf(request));
    case 'members':
      return present(member ?? undefined);
    case 'tags':
      return Object.entries(request.tags ?? {}).map(([name, value]) => `${name}=${value}`);
  }
}

const present = (id: string | undefined): readonly string[] => (id === undefined || id === '' ? [] : [id]);
