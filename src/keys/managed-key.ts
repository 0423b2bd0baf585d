import type { AuditChange } from '../audit/audit-log.js';
import { ManagedKind } from '../management/managed-kind.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { viewFormerSecret, viewKeyTerms } from './key-view.js';
import type { FormerSecret } from './keys.repository.js';

/** Keys as the audit log shows them. */
export const API_KEY = new ManagedKind<ApiKeyEntity>('api_key', (key) => ({
  target: key.hash,
  workspaceId: key.workspaceId,
  view: viewKeyTerms(key),
}));

/** The terms show the raise. */
export const raisedKey = (before: ApiKeyEntity, after: ApiKeyEntity): AuditChange =>
  API_KEY.entry('raise', after, { before: viewKeyTerms(before), after: viewKeyTerms(after) });

/** @param endsAt when the former secrets end, unless they end sooner */
export const rotatedKey = (before: ApiKeyEntity, after: ApiKeyEntity, endsAt: Date): AuditChange =>
  API_KEY.entry('rotate', after, {
    before: viewKeyTerms(before),
    after: { ...viewKeyTerms(after), former_secrets_end_at: endsAt.toISOString() },
  });

/** @param secret as it was before it ended */
export const endedSecret = (key: ApiKeyEntity, secret: FormerSecret): AuditChange =>
  API_KEY.entry('secret.end', key, { before: viewFormerSecret(secret) });
