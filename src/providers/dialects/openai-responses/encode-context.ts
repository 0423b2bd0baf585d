import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { refuse } from '../refuse.js';
import { hashedId, ToolIds } from '../tool-ids.js';
import { ToolNames } from '../tool-names.js';

/** Longest `call_id` that OpenAI takes in this format. */
const CALL_ID_MAX = 64;

/** What encoding one request for one target needs everywhere. One per attempt. */
export class EncodeContext {
  readonly names: ToolNames;
  private ids: ToolIds | undefined;
  /** True when documents may be sent as files. */
  readonly acceptsFiles: boolean;

  constructor(
    readonly request: ModelRequest,
    readonly target: Target,
    readonly media: FetchedMedia,
  ) {
    const { quirks } = target.definition;
    this.names = new ToolNames(request, quirks.toolNameMax);
    this.acceptsFiles = quirks.acceptsFiles === true || target.model.inputModalities.includes('file');
  }

  /** A tool call's id as the target takes it. */
  callId(id: string): string {
    this.ids ??= new ToolIds(this.request.messages, {
      isLegal: (one) => one.length > 0 && one.length <= CALL_ID_MAX,
      standIn: (text) => hashedId(text, CALL_ID_MAX),
    });
    return this.ids.toWire(id);
  }

  /** @throws Untranslatable always: `what` is what this target cannot carry */
  refuse(path: string, what: string): never {
    return refuse(this.target, path, what);
  }
}
