import { ManagedKind } from '../audit/managed-kind.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { viewKeyTerms } from './key-view.js';

/** Keys for the log. */
export const API_KEY = new ManagedKind<ApiKeyEntity>('api_key', (key) => ({
  target: key.hash,
  workspaceId: key.workspaceId,
  view: viewKeyTerms(key),
}));
