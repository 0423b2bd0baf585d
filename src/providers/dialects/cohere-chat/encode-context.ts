import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { withImagesBehind } from '../drawn-images.js';
import { EncodeContext, toolWordsOf, type ToolWords } from '../encode-context.js';
import { CitedSources } from './cited-sources.js';
import { TABLE } from './table.js';

/** What encoding one request in Cohere's format needs everywhere. */
export class CohereContext extends EncodeContext {
  readonly sources: CitedSources;

  constructor(request: ModelRequest, target: Target, media: FetchedMedia, words: ToolWords) {
    super(request, target, media, TABLE, words);
    this.sources = new CitedSources(request);
  }
}

export function* cohereContext(request: ModelRequest, target: Target, media: FetchedMedia): Steps<CohereContext> {
  const words = yield* toolWordsOf(request, target);
  return new CohereContext(withImagesBehind(request, target), target, media, words);
}
