import type { CacheMarker } from '../core/conversation/content.js';
import type { Static } from '../shared/http/schema.js';
import type { cacheControl } from './schemas/cache-control.js';

export type WireCacheControl = Static<typeof cacheControl>;

export const readCacheMarker = ({ ttl }: WireCacheControl): CacheMarker => (ttl ? { ttl } : {});
