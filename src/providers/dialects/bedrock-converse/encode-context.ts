import type { CacheMarker } from '../../../core/conversation/content.js';
import type { ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import type { BlockForm } from '../../../core/translation.js';
import { withAdjacentResults } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, toolWordsOf, type ToolWords } from '../encode-context.js';
import { isSigned, reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import { ACCEPTS_FILES } from '../rules.js';
import { hashedId, type ToolIdRule } from '../tool-ids.js';
import { DocumentNames } from './document-names.js';
import { familyOf, markOf, type Family } from './families.js';
import { TABLE } from './table.js';
import type { CachePoint, Part } from './wire.js';

/** Longest id of a tool call. */
const TOOL_ID_MAX = 64;
const LEGAL_TOOL_ID = /^[A-Za-z0-9_-]{1,64}$/;
const CALL_IDS: ToolIdRule = {
  isLegal: (id) => LEGAL_TOOL_ID.test(id),
  standIn: (text) => hashedId(text, TOOL_ID_MAX),
};

/** State of the encoding of one request for Converse. */
export class ConverseContext extends EncodeContext {
  readonly family: Family;
  /** Whether the model reads documents. */
  readonly acceptsFiles: boolean;
  readonly documents = new DocumentNames();
  private mark: ReasoningMark | undefined;

  constructor(request: ModelRequest, target: Target, media: FetchedMedia, words: ToolWords | undefined) {
    super(request, target, media, TABLE, words);
    this.family = familyOf(target);
    this.acceptsFiles = ACCEPTS_FILES.holds(target);
  }

  /** The row for reasoning: own reasoning is from this model at this provider, and signed. */
  reasoningForm(block: ReasoningBlock): BlockForm {
    const { format, provider } = (this.mark ??= markOf(this.target));
    return reasoningForm(block, isSigned(block) && block.mark?.format === format && block.mark.provider === provider);
  }

  /** Whether a `cachePoint` may follow this part. */
  canPrecedeCachePoint(part: Part): boolean {
    if ('reasoningContent' in part) return false;
    return !('toolResult' in part) || this.treatmentOf('tool_result_cache_control').type === 'mapped';
  }

  /** The point after a block with a marker; undefined where the target takes none there. */
  blockPoint(marker: CacheMarker | undefined): CachePoint | undefined {
    return this.treatmentOf('cache_control').type === 'mapped' ? this.cachePoint(marker) : undefined;
  }

  /** The point that a marker requests. */
  cachePoint(marker: CacheMarker | undefined): CachePoint | undefined {
    if (marker === undefined) return undefined;
    const takesTtl = this.family.caching?.ttl !== false;
    return { cachePoint: { type: 'default', ...(takesTtl && marker.ttl !== undefined && { ttl: marker.ttl }) } };
  }
}

/** @param words from `converseToolWords`; undefined for a request that names no tools */
export function converseContext(
  request: ModelRequest,
  target: Target,
  media: FetchedMedia,
  words: ToolWords | undefined,
): ConverseContext {
  const ordered = words === undefined ? request : withAdjacentResults(request);
  return new ConverseContext(moveAssistantImages(ordered, target), target, media, words);
}

export const converseToolWords = (request: ModelRequest, target: Target): Steps<ToolWords> =>
  toolWordsOf(request, target, { callIds: CALL_IDS });
