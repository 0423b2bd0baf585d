import type { CacheMarker } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import { refuse } from '../refuse.js';
import { alphanumericId, hashedId, ToolIds, type ToolIdRule } from '../tool-ids.js';
import { carriesParameter } from './parameters.js';
import { ToolNames } from '../tool-names.js';
import type { WireCacheControl } from './wire.js';

/** What encoding one request for one target needs everywhere. One per attempt. */
export class EncodeContext {
  readonly names: ToolNames;
  private ids: ToolIds | undefined;
  /** True when documents may be sent as `file` parts. */
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

  /** The marker as the target takes it; nothing where it takes none: chat upstreams cache by themselves. */
  cacheControl(marker: CacheMarker | undefined): { cache_control?: WireCacheControl } {
    if (marker === undefined || !carriesParameter('cache_control', this.target)) return {};
    return { cache_control: { type: 'ephemeral', ...(marker.ttl !== undefined && { ttl: marker.ttl }) } };
  }

  /** A tool call's id as the target takes it. */
  toolCallId(id: string): string {
    this.ids ??= new ToolIds(this.request.messages, idRule(this.target.definition.quirks));
    return this.ids.toWire(id);
  }

  /** @throws Untranslatable always: `what` is what this target cannot carry */
  refuse(path: string, what: string): never {
    return refuse(this.target, path, what);
  }
}

function idRule({ toolCallIdLength: length, toolCallIdMax: max = Infinity }: Quirks): ToolIdRule {
  if (length === undefined) return { isLegal: (id) => id.length <= max, standIn: (text) => hashedId(text, max) };
  return {
    isLegal: (id) => id.length === length && /^[A-Za-z0-9]+$/.test(id),
    standIn: (text) => alphanumericId(text, length),
  };
}
