import type { JsonObject } from '../core/json/json.js';
import type { Caller } from '../core/caller.js';
import { endUserOf, SUBJECT_SCOPES, subjectsOf } from './budget-subjects.js';

const CALLER = { accountId: 'a', userId: 'ben' } as Caller;
const named = (value: JsonObject) => ({ metadata: { vendor: 'anthropic', value } }) as const;

it.each([
  [{ user: 'zoë', ...named({ user_id: 'other' }) }, 'zoë'],
  [named({ user_id: 'zoë' }), 'zoë'],
  [named({ user_id: '' }), undefined],
  [named({ user_id: null }), undefined],
  [{ metadata: { vendor: 'openai', value: { user_id: 'zoë' } } } as const, undefined],
  [{}, undefined],
])('the end user of %j is %s', (request, user) => {
  expect(endUserOf(request)).toBe(user);
});

it('a request counts for its end user, its member and each of its tags', () => {
  const subjects = subjectsOf(SUBJECT_SCOPES, CALLER, { user: 'zoë', tags: { team: 'search', feature: 'a=b' } });
  expect(subjects.map(({ scope, id }) => `${scope} ${id}`)).toEqual([
    'users zoë',
    'members ben',
    'tags team=search',
    'tags feature=a=b',
  ]);
  expect(new Set(subjects.map(({ scopeId }) => scopeId)).size).toBe(4);
});

it('a request without an end user counts for none', () => {
  expect(subjectsOf(['users'], CALLER, named({ user_id: '' }))).toEqual([]);
});
