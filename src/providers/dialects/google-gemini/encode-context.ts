import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { refuse } from '../refuse.js';
import { ToolNames } from '../tool-names.js';
import { generationOf, type Generation } from './generation.js';

/** Names of tools begin with a letter or `_` (ai.google.dev/api/caching, FunctionDeclaration). */
export const toolNamesOf = (request: ModelRequest, target: Target): ToolNames =>
  new ToolNames(request, target.definition.quirks.toolNameMax, true);

/** A call that a result may answer. */
export interface KnownCall {
  readonly name: string;
  /** Its place among all calls of the conversation. */
  readonly place: number;
}

/** What encoding one request for one target needs everywhere. One per attempt. */
export class EncodeContext {
  readonly names: ToolNames;
  readonly generation: Generation;
  private readonly calls = new Map<string, KnownCall>();

  constructor(
    readonly request: ModelRequest,
    readonly target: Target,
    readonly media: FetchedMedia,
  ) {
    this.names = toolNamesOf(request, target);
    this.generation = generationOf(target);
    for (const { content } of request.messages) {
      for (const block of content) {
        if (block.type === 'tool-use') this.calls.set(block.id, { name: block.name, place: this.calls.size });
      }
    }
  }

  /** The call of this id; undefined where the conversation has none. */
  callOf(id: string): KnownCall | undefined {
    return this.calls.get(id);
  }

  /** @throws Untranslatable always: `what` is what this target cannot carry */
  refuse(path: string, what: string): never {
    return refuse(this.target, path, what);
  }
}
