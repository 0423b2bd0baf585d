import type { CacheMarker } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import { refuse } from '../refuse.js';
import { hashedId, ToolIds, type ToolIdRule } from '../tool-ids.js';
import { ToolNames } from '../tool-names.js';
import { DocumentNames } from './document-names.js';
import { familyOf, type Family } from './families.js';
import { carriesParameter } from './parameters.js';
import type { CachePoint } from './wire.js';

/** Longest id of a tool call. */
const TOOL_ID_MAX = 64;
const LEGAL_TOOL_ID = /^[A-Za-z0-9_-]{1,64}$/;
const TOOL_ID_RULE: ToolIdRule = {
  isLegal: (id) => LEGAL_TOOL_ID.test(id),
  standIn: (text) => hashedId(text, TOOL_ID_MAX),
};
const DEFAULT_CACHING = { tools: true, ttl: true };

/** What encoding one request for one target needs everywhere. One per attempt. */
export class EncodeContext {
  readonly names: ToolNames;
  readonly ids: ToolIds;
  readonly family: Family;
  readonly documents = new DocumentNames();
  /** Whether documents are read as such. */
  readonly readsFiles: boolean;
  private readonly caches: boolean;

  constructor(
    readonly request: ModelRequest,
    readonly target: Target,
    readonly media: FetchedMedia,
  ) {
    this.names = new ToolNames(request, target.definition.quirks.toolNameMax);
    this.ids = new ToolIds(request.messages, TOOL_ID_RULE);
    this.family = familyOf(target);
    this.readsFiles = target.definition.quirks.acceptsFiles === true || target.model.inputModalities.includes('file');
    this.caches = carriesParameter('cache_control', target);
  }

  /** The point behind what a marker stands on; undefined where the target has none there. */
  cachePoint(marker: CacheMarker | undefined, place: 'tools' | 'prompt' = 'prompt'): CachePoint | undefined {
    if (marker === undefined || !this.caches) return undefined;
    const { tools, ttl } = this.family.caching ?? DEFAULT_CACHING;
    if (place === 'tools' && !tools) return undefined;
    return { cachePoint: { type: 'default', ...(ttl && marker.ttl !== undefined && { ttl: marker.ttl }) } };
  }

  /** @throws Untranslatable always: `what` is what this target cannot carry */
  refuse(path: string, what: string): never {
    return refuse(this.target, path, what);
  }
}
