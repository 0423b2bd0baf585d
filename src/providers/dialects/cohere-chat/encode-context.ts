import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { withAdjacentResults } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, type ToolWords } from '../encode-context.js';
import { CitedSources } from './cited-sources.js';
import { TABLE } from './table.js';

/** State of the encoding of one request in Cohere's format. */
export class CohereContext extends EncodeContext {
  readonly sources: CitedSources;

  constructor(request: ModelRequest, target: Target, media: FetchedMedia, words: ToolWords | undefined) {
    super(request, target, media, TABLE, words);
    this.sources = new CitedSources(request);
  }
}

/** @param words from `toolWordsOf`; undefined for a request that names no tools */
export function cohereContext(
  request: ModelRequest,
  target: Target,
  media: FetchedMedia,
  words: ToolWords | undefined,
): CohereContext {
  const ordered = words === undefined ? request : withAdjacentResults(request);
  return new CohereContext(moveAssistantImages(ordered, target), target, media, words);
}
