import type { Json } from '../json/json.js';
import type { CacheMarker } from './content.js';

/** `cache_control`, as both faces have it. */
export interface WireCacheControl {
  readonly ttl?: '5m' | '1h' | undefined;
  readonly scope?: Json | undefined;
}

export function readCacheMarker({ ttl, scope }: WireCacheControl): CacheMarker {
  if (scope !== undefined) return { ...(ttl && { ttl }), scope };
  return ttl ? { ttl } : {};
}
