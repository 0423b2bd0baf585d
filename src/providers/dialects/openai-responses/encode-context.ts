import type { ModelRequest } from '../../../core/conversation/request.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { withResultsInFront } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, toolWordsOf, type ToolWords } from '../encode-context.js';
import { hashedId, type ToolIdRule } from '../tool-ids.js';
import { TABLE } from './table.js';

/** Longest `call_id` that OpenAI takes in this format. */
const CALL_ID_MAX = 64;
const CALL_IDS: ToolIdRule = {
  isLegal: (id) => id.length > 0 && id.length <= CALL_ID_MAX,
  standIn: (text) => hashedId(text, CALL_ID_MAX),
};

/** @param words from `responsesToolWords`; undefined for a request that names no tools */
export function responsesContext(
  request: ModelRequest,
  target: Target,
  media: FetchedMedia,
  words: ToolWords | undefined,
): EncodeContext {
  const ordered = traitsOf(request.messages).hasLateResults ? withResultsInFront(request) : request;
  return new EncodeContext(moveAssistantImages(ordered, target), target, media, TABLE, words);
}

export const responsesToolWords = (request: ModelRequest, target: Target): Steps<ToolWords> =>
  toolWordsOf(request, target, { callIds: CALL_IDS });
