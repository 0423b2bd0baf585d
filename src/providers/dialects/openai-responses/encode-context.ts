import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { withImagesBehind } from '../drawn-images.js';
import { EncodeContext, toolWordsOf } from '../encode-context.js';
import { hashedId, type ToolIdRule } from '../tool-ids.js';
import { TABLE } from './table.js';

/** Longest `call_id` that OpenAI takes in this format. */
const CALL_ID_MAX = 64;
const CALL_IDS: ToolIdRule = {
  isLegal: (id) => id.length > 0 && id.length <= CALL_ID_MAX,
  standIn: (text) => hashedId(text, CALL_ID_MAX),
};

export function* responsesContext(request: ModelRequest, target: Target, media: FetchedMedia): Steps<EncodeContext> {
  const words = yield* toolWordsOf(request, target, { callIds: CALL_IDS });
  return new EncodeContext(withImagesBehind(request, target), target, media, TABLE, words);
}
