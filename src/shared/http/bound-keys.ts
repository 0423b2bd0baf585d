import { BASE_PATH } from './addresses.js';

/**
 * What a management key that is bound to a workspace does by a route. `own workspace`: it lists and reads what belongs
 * to it, creates in it, and finds nothing else (404). `account only`: it is refused (403).
 */
export type BoundUse = 'own workspace' | 'account only';

/**
 * The routes that take a management key (docs/operate/workspaces.md#keys-of-a-workspace). One without a row is for keys
 * of the account only; test/http/bound-keys.spec.ts fails where a route has none. Routes that take either kind of key
 * have rows too.
 */
export const BOUND_USES: Readonly<Record<string, BoundUse>> = {
  'POST /keys': 'own workspace',
  'GET /keys': 'own workspace',
  'POST /keys/disable': 'own workspace',
  'GET /keys/{hash}': 'own workspace',
  'PATCH /keys/{hash}': 'own workspace',
  'POST /keys/{hash}/raise': 'own workspace',
  'POST /keys/{hash}/rotate': 'own workspace',
  'DELETE /keys/{hash}/secrets/{id}': 'own workspace',
  'DELETE /keys/{hash}': 'own workspace',
  'GET /key': 'own workspace',

  'POST /byok': 'own workspace',
  'GET /byok': 'own workspace',
  'GET /byok/{id}': 'own workspace',
  'PATCH /byok/{id}': 'own workspace',
  'DELETE /byok/{id}': 'own workspace',
  'POST /byok/{id}/test': 'own workspace',

  'GET /generation': 'own workspace',
  'GET /generations': 'own workspace',
  'GET /activity': 'own workspace',
  'GET /analytics/meta': 'own workspace',
  'POST /analytics/query': 'own workspace',
  'GET /credits/entries': 'own workspace',
  // The balance is that of all workspaces.
  'GET /credits': 'account only',
  'POST /credits': 'account only',

  'GET /workspaces': 'own workspace',
  'GET /workspaces/{reference}': 'own workspace',
  'PATCH /workspaces/{reference}': 'own workspace',
  'POST /workspaces': 'account only',
  'DELETE /workspaces/{reference}': 'account only',
  'GET /workspaces/{reference}/members': 'own workspace',
  'POST /workspaces/{reference}/members/add': 'own workspace',
  'POST /workspaces/{reference}/members/remove': 'own workspace',
  'GET /workspaces/{reference}/budgets': 'own workspace',
  'GET /workspaces/{reference}/budgets/{interval}': 'own workspace',
  // What a workspace may spend is decided by those who pay for it.
  'PUT /workspaces/{reference}/budgets/{interval}': 'account only',
  'DELETE /workspaces/{reference}/budgets/{interval}': 'account only',
  'GET /organization/members': 'own workspace',
  'GET /account/preferences': 'account only',
  'PATCH /account/preferences': 'account only',

  'POST /guardrails': 'own workspace',
  'GET /guardrails': 'own workspace',
  'GET /guardrails/{id}': 'own workspace',
  'PATCH /guardrails/{id}': 'own workspace',
  'DELETE /guardrails/{id}': 'own workspace',
  'GET /guardrails/assignments/keys': 'own workspace',
  'GET /guardrails/assignments/members': 'own workspace',
  'GET /guardrails/{id}/assignments/keys': 'own workspace',
  'POST /guardrails/{id}/assignments/keys': 'own workspace',
  'POST /guardrails/{id}/assignments/keys/remove': 'own workspace',
  'GET /guardrails/{id}/assignments/members': 'own workspace',
  // A guardrail of a member is in force for the member's keys in every workspace.
  'POST /guardrails/{id}/assignments/members': 'account only',
  'POST /guardrails/{id}/assignments/members/remove': 'account only',

  // Users, members and tags are the same in every workspace.
  'GET /budgets': 'account only',
  'GET /budgets/{scope}/{id}/{interval}': 'account only',
  'PUT /budgets/{scope}/{id}/{interval}': 'account only',
  'DELETE /budgets/{scope}/{id}/{interval}': 'account only',
  'POST /budgets/{scope}/{id}/{interval}/raise': 'account only',

  // Rules are judged, and events are sent, over the whole account.
  'GET /alarms': 'account only',
  'POST /alarms': 'account only',
  'GET /alarms/history': 'account only',
  'GET /alarms/{id}': 'account only',
  'PATCH /alarms/{id}': 'account only',
  'DELETE /alarms/{id}': 'account only',
  'POST /alarms/{id}/test': 'account only',
  'GET /observability/destinations': 'account only',
  'POST /observability/destinations': 'account only',
  'GET /observability/destinations/{id}': 'account only',
  'PATCH /observability/destinations/{id}': 'account only',
  'DELETE /observability/destinations/{id}': 'account only',
  'POST /observability/destinations/{id}/rotate': 'account only',
  'POST /observability/destinations/{id}/test': 'account only',

  'GET /audit': 'own workspace',

  // The catalog, as the policies of the workspace leave it.
  'GET /models': 'own workspace',
  'GET /models/count': 'own workspace',
  'GET /models/user': 'own workspace',
  'GET /models/{name}': 'own workspace',
  'GET /models/{name}/endpoints': 'own workspace',
  'GET /models/{author}/{slug}': 'own workspace',
  'GET /models/{author}/{slug}/endpoints': 'own workspace',
  'GET /model/{author}/{slug}': 'own workspace',
  'GET /endpoints/zdr': 'own workspace',
  'GET /providers': 'own workspace',
  'POST /routing/explain': 'own workspace',
};

/** @param path as the router has it: `/api/v1/keys/:hash` */
export function boundUseOf(method: string, path: string): BoundUse {
  const below = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path;
  return boundUse(method, below.replaceAll(/:(\w+)/g, '{$1}'));
}

/** @param path as the description has it: `/keys/{hash}` */
export function boundUse(method: string, path: string): BoundUse {
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return Object.hasOwn(BOUND_USES, name) ? BOUND_USES[name]! : 'account only';
}
