import type { JsonObject } from '../core/json.js';

/** Scope 2.5 calls it `router_metadata`, real clients look for the other name (WIRE 0.2). Nothing where there is none. */
export const viewRouterMetadata = (metadata: JsonObject | undefined): JsonObject =>
  metadata ? { router_metadata: metadata, openrouter_metadata: metadata } : {};
