import { BASE_PATH } from './base-path.js';

/**
 * The effect of a route for a management key that is bound to a workspace. `own workspace`: it lists and reads what
 * belongs to the workspace, creates in it, and finds nothing else (404). `account only`: it is refused (403).
 */
export type WorkspaceKeyUse = 'own workspace' | 'account only';

/**
 * The routes that take a management key (docs/operate/workspaces.md#keys-of-a-workspace). One without a row is for keys
 * of the account only; test/http/workspace-key-uses.spec.ts fails where a route has none. Rows of routes that take
 * either kind of key are about management keys as well.
 */
export const WORKSPACE_KEY_USES: Readonly<Record<string, WorkspaceKeyUse>> = {
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

  // The catalog is that of all.
  'GET /catalog': 'own workspace',
  'GET /generation': 'own workspace',
  'GET /generations': 'own workspace',
  'GET /activity': 'own workspace',
  'GET /analytics/meta': 'own workspace',
  'POST /analytics/query': 'own workspace',
  'GET /credits/entries': 'own workspace',
  // The balance is that of all workspaces.
  'GET /credits': 'account only',
  'POST /credits': 'account only',
  'GET /credits/verification': 'account only',

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
  // The account pays for a workspace, so it decides what the workspace may spend.
  'PUT /workspaces/{reference}/budgets/{interval}': 'account only',
  'DELETE /workspaces/{reference}/budgets/{interval}': 'account only',
  'GET /organization/members': 'own workspace',
  'GET /account/preferences': 'account only',
  'PATCH /account/preferences': 'account only',

  'GET /presets': 'own workspace',
  'GET /presets/{slug}': 'own workspace',
  'GET /presets/{slug}/versions': 'own workspace',
  'GET /presets/{slug}/versions/{version}': 'own workspace',
  'PATCH /presets/{slug}': 'own workspace',
  'DELETE /presets/{slug}': 'own workspace',
  'POST /presets/{slug}/messages': 'own workspace',
  'POST /presets/{slug}/chat/completions': 'own workspace',
  'POST /presets/{slug}/responses': 'own workspace',

  'POST /guardrails': 'own workspace',
  'GET /guardrails': 'own workspace',
  'GET /guardrails/{id}': 'own workspace',
  'PATCH /guardrails/{id}': 'own workspace',
  'DELETE /guardrails/{id}': 'own workspace',
  'POST /guardrails/{id}/test': 'own workspace',
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
  // The chain is that of all workspaces.
  'GET /audit/verification': 'account only',

  // Sessions of the key itself.
  'GET /console/session': 'own workspace',
  'DELETE /console/session': 'own workspace',
  'GET /console/sessions': 'own workspace',
  'DELETE /console/sessions/{id}': 'own workspace',

  // Statements are of the account.
  'GET /statements': 'account only',
  'GET /statements/{month}': 'account only',
  'POST /statements/{month}/close': 'account only',

  // The catalog, as the policies of the workspace leave it.
  'GET /models': 'own workspace',
  'GET /models/count': 'own workspace',
  'GET /models/user': 'own workspace',
  'GET /models/{name}': 'own workspace',
  'GET /models/{name}/endpoints': 'own workspace',
  'GET /models/{author}/{slug}': 'own workspace',
  'GET /models/{author}/{slug}/endpoints': 'own workspace',
  'GET /model/{author}/{slug}': 'own workspace',
  'GET /embeddings/models': 'own workspace',
  'GET /endpoints/zdr': 'own workspace',
  'GET /providers': 'own workspace',
  'POST /routing/explain': 'own workspace',
};

/** @param path as the router has it: `/api/v1/keys/:hash` */
export function workspaceKeyUseOf(method: string, path: string): WorkspaceKeyUse {
  const below = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path;
  return workspaceKeyUse(method, below.replaceAll(/:(\w+)/g, '{$1}'));
}

/** @param path as the description has it: `/keys/{hash}` */
export function workspaceKeyUse(method: string, path: string): WorkspaceKeyUse {
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return Object.hasOwn(WORKSPACE_KEY_USES, name) ? WORKSPACE_KEY_USES[name]! : 'account only';
}
