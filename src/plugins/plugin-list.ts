import type { Plugin } from '../core/plugin.js';
import { autoRouter } from './auto-router/auto-router.js';
import { contextCompression } from './context-compression/context-compression.js';
import { fileParser } from './file-parser/file-parser.js';
import { fusion } from './fusion/fusion.js';
import { moderation } from './moderation/moderation.js';
import { paretoRouter } from './pareto-router/pareto-router.js';
import { responseHealing } from './response-healing/response-healing.js';
import { web } from './web/web.js';
import { webFetch } from './web-fetch/web-fetch.js';

/** Every plugin, in the order in which each hook runs them (docs/use/tools-and-plugins.md#the-order-of-plugins). */
export const ALL_PLUGINS: readonly Plugin[] = [
  autoRouter,
  paretoRouter,
  fileParser,
  webFetch,
  contextCompression,
  responseHealing,
  moderation,
  web,
  fusion,
];

/** Injection token of the list. */
export const PLUGINS = Symbol('plugins');
