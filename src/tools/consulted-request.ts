import { definedOnly } from '../core/defined.js';
import type { ModelRequest } from '../core/conversation/request.js';

/**
 * A request of the gateway's own on the way to an answer. It goes only where its caller lets his own go, and says
 * nothing else of his.
 */
export function consultedRequest(
  { preferences, user, trace, fusionDepth }: ModelRequest,
  asked: Pick<ModelRequest, 'model' | 'messages'> & Partial<ModelRequest>,
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
    ...asked,
  };
}
