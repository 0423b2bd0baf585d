import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Target } from '../../../core/provider.js';
import { refuse } from '../refuse.js';
import { ToolNames } from '../tool-names.js';
import { CitedSources } from './cited-sources.js';

/** What encoding one request for one target needs everywhere. One per attempt. */
export class EncodeContext {
  readonly names: ToolNames;
  readonly sources: CitedSources;

  constructor(
    readonly request: ModelRequest,
    readonly target: Target,
  ) {
    this.names = new ToolNames(request);
    this.sources = new CitedSources(request);
  }

  /** @throws Untranslatable always: `what` is what this target cannot carry */
  refuse(path: string, what: string): never {
    return refuse(this.target, path, what);
  }
}
