import type { AuditChange } from '../audit/audit-log.js';
import { ManagedKind } from '../audit/managed-kind.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { viewFormerSecret, viewKeyTerms } from './key-view.js';
import type { FormerSecret } from './keys.repository.js';

/** Keys for the log. */
export const API_KEY = new ManagedKind<ApiKeyEntity>('api_key', (key) => ({
  target: key.hash,
  workspaceId: key.workspaceId,
  view: viewKeyTerms(key),
}));

/** @param endsAt when the secrets before the new one end, where they do not sooner */
export const rotatedKey = (before: ApiKeyEntity, after: ApiKeyEntity, endsAt: Date): AuditChange =>
  API_KEY.entry('rotate', after, {
    before: viewKeyTerms(before),
    after: { ...viewKeyTerms(after), former_secrets_end_at: endsAt.toISOString() },
  });

/** @param secret as it was before it ended */
export const endedSecret = (key: ApiKeyEntity, secret: FormerSecret): AuditChange =>
  API_KEY.entry('secret.end', key, { before: viewFormerSecret(secret) });
