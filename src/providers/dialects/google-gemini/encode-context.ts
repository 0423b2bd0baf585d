import type { Message, ToolResultBlock } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { traitsOf } from '../../../core/conversation/traits.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { withAdjacentResults } from '../adjacent-results.js';
import { moveAssistantImages } from '../assistant-images.js';
import { EncodeContext, namesTools, toolWordsOf, type NamingRules, type ToolWords } from '../encode-context.js';
import { toolBlocksIn } from '../tool-ids.js';
import { generationOf, type Generation } from './generation.js';
import { TABLE } from './table.js';

/** Names of tools begin with a letter or `_` (ai.google.dev/api/caching, FunctionDeclaration). */
export const NAMING: NamingRules = { namesStartWithLetter: true };

/** A call, for the results that answer it. */
export interface KnownCall {
  readonly name: string;
  /** Index of the call among all calls of the conversation. */
  readonly callIndex: number;
}

/** Calls by their result. */
type AnsweredCalls = ReadonlyMap<ToolResultBlock, KnownCall>;

/** State of the encoding of one request in Gemini's format. */
export class GeminiContext extends EncodeContext {
  readonly generation: Generation;

  constructor(
    request: ModelRequest,
    target: Target,
    media: FetchedMedia,
    words: ToolWords | undefined,
    private readonly answered: AnsweredCalls,
  ) {
    super(request, target, media, TABLE, words);
    this.generation = generationOf(target);
  }

  /**
   * The call that the result answers: the last one before it with its id; undefined where the conversation has none.
   */
  callOf(result: ToolResultBlock): KnownCall | undefined {
    return this.answered.get(result);
  }
}

export function* geminiContext(request: ModelRequest, target: Target, media: FetchedMedia): Steps<GeminiContext> {
  const { hasImages, hasToolBlocks } = traitsOf(request.messages);
  const words = namesTools(request) ? yield* toolWordsOf(request, target, NAMING) : undefined;
  const isBehind = hasImages && !target.model.inputModalities.includes('image');
  const answered = hasToolBlocks ? yield* answeredCalls(request.messages) : NO_CALLS;
  const ordered = words === undefined ? request : withAdjacentResults(request);
  return new GeminiContext(isBehind ? moveAssistantImages(ordered, target) : ordered, target, media, words, answered);
}

const NO_CALLS: AnsweredCalls = new Map();

function* answeredCalls(messages: readonly Message[]): Steps<AnsweredCalls> {
  const answered = new Map<ToolResultBlock, KnownCall>();
  const latest = new Map<string, KnownCall>();
  const steps = new StepCounter();
  let calls = 0;
  for (const block of toolBlocksIn(messages)) {
    if (steps.isOver()) yield;
    if (block.type === 'tool-use') {
      latest.set(block.id, { name: block.name, callIndex: calls++ });
    } else {
      const call = latest.get(block.toolUseId);
      if (call !== undefined) answered.set(block, call);
    }
  }
  return answered;
}
