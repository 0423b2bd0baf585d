import { integer, object, optional, type TSchema } from '../shared/http/schema.js';
import { advisor } from './advisor/advisor.js';
import { bash } from './bash/bash.js';
import { shellParameters } from './bash/parameters.js';
import { datetime } from './datetime/datetime.js';
import { imageGeneration } from './image-generation/image-generation.js';
import { searchModels } from './search-models/search-models.js';
import type { ToolDefinition } from './tool-definition.js';
import { VENDOR_FUNCTIONS } from './vendor-functions.js';
import { webFetch } from './web-fetch/web-fetch.js';
import { webSearch } from './web-search/web-search.js';

/** Every tool that this gateway serves. */
export const ALL_SERVICE_TOOLS: readonly ToolDefinition[] = [
  advisor,
  bash,
  datetime,
  imageGeneration,
  searchModels,
  webFetch,
  webSearch,
  ...VENDOR_FUNCTIONS,
];

/** Injection token of the list. */
export const SERVICE_TOOLS = Symbol('service tools');

/** Types that are checked and not served. */
const UNSERVED_PARAMETERS = {
  'openrouter:shell': shellParameters,
  'openrouter:tool_search': object({ max_results: optional(integer({ min: 1, max: 50 })) }),
};

/** Schemas of `parameters` by type. */
export const TOOL_PARAMETERS: Readonly<Record<string, TSchema>> = Object.fromEntries([
  ...Object.entries(UNSERVED_PARAMETERS),
  ...ALL_SERVICE_TOOLS.flatMap(({ parameters }) => Object.entries(parameters)),
]);
