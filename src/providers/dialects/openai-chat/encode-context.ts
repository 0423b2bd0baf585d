import type { CacheMarker } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import type { Steps } from '../../../core/steps.js';
import { withAdjacentResults } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, toolWordsOf, type ToolWords } from '../encode-context.js';
import { alphanumericId, hashedId, type ToolIdRule } from '../tool-ids.js';
import { TABLE } from './table.js';
import type { WireCacheControl } from './wire.js';

/** State of the encoding of one request for a chat provider. */
export class ChatContext extends EncodeContext {
  /** A block's marker; nothing where the target takes none: most chat providers cache automatically. */
  cacheControl(marker: CacheMarker | undefined): { cache_control?: WireCacheControl } {
    if (marker === undefined || this.treatmentOf('cache_control').type !== 'mapped') return {};
    return { cache_control: wireMarker(marker) };
  }
}

/** @param words from `chatToolWords`; undefined for a request that names no tools */
export function chatContext(
  request: ModelRequest,
  target: Target,
  media: FetchedMedia,
  words: ToolWords | undefined,
): ChatContext {
  const ordered = words === undefined ? request : withAdjacentResults(request);
  return new ChatContext(moveAssistantImages(ordered, target), target, media, TABLE, words);
}

export const chatToolWords = (request: ModelRequest, target: Target): Steps<ToolWords> =>
  toolWordsOf(request, target, { callIds: idRuleOf(target.definition.quirks) });

export const wireMarker = ({ ttl }: CacheMarker): WireCacheControl => ({
  type: 'ephemeral',
  ...(ttl !== undefined && { ttl }),
});

const rules = new WeakMap<Quirks, ToolIdRule>();

/** Returns one rule object for each provider, so that ids mapped by it are found again. */
function idRuleOf(quirks: Quirks): ToolIdRule {
  let rule = rules.get(quirks);
  if (!rule) rules.set(quirks, (rule = makeIdRule(quirks)));
  return rule;
}

function makeIdRule({ toolCallIdLength: length, toolCallIdMax: max = Infinity }: Quirks): ToolIdRule {
  if (length === undefined) return { isLegal: (id) => id.length <= max, standIn: (text) => hashedId(text, max) };
  return {
    isLegal: (id) => id.length === length && /^[A-Za-z0-9]+$/.test(id),
    standIn: (text) => alphanumericId(text, length),
  };
}
