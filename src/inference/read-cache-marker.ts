import type { CacheMarker } from '../core/conversation/content.js';
import type { Static } from '../shared/http/schema.js';
import type { cacheControl } from './schemas/cache-control.js';

export type WireCacheControl = Static<typeof cacheControl>;

/** `{ cacheMarker }` where a marker was set. */
export const markerOf = (marker: WireCacheControl | null | undefined): { cacheMarker?: CacheMarker } =>
  marker ? { cacheMarker: marker.ttl ? { ttl: marker.ttl } : {} } : {};
