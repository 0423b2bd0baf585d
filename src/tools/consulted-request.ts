import { definedOnly } from '../core/defined.js';
import type { ModelRequest } from '../core/conversation/request.js';

/**
 * A request of the gateway's own on the way to an answer. It inherits the caller's preferences, user, trace and fusion
 * depth, and nothing else.
 */
export function consultedRequest(
  { preferences, user, trace, fusionDepth }: ModelRequest,
  requested: Pick<ModelRequest, 'model' | 'messages'> & Partial<ModelRequest>,
): ModelRequest {
  const { dataCollection, enforceDistillableText, ignore, only, maxPrice, zeroDataRetention } = preferences;
  return {
    system: [],
    stream: false,
    sampling: {},
    tools: [],
    preferences: definedOnly({ dataCollection, enforceDistillableText, ignore, only, maxPrice, zeroDataRetention }),
    plugins: [],
    betas: [],
    ...(user !== undefined && { user }),
    ...(trace && { trace }),
    ...(fusionDepth !== undefined && { fusionDepth }),
    ...requested,
  };
}
