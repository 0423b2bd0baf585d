import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';

/** What an inference is begun with. */
export interface Inference {
  readonly request: ModelRequest;
  readonly caller: Caller;
  /** The face it came through. */
  readonly api: 'messages' | 'chat';
  /** The caller asked to be told of the route. */
  readonly wantsRouterMetadata: boolean;
}
