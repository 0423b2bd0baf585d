import type { ServiceTool } from '../core/tool.js';
import { advisor } from './advisor/advisor.js';
import { bash } from './bash/bash.js';
import { datetime } from './datetime.js';
import { imageGeneration } from './image-generation/image-generation.js';
import { searchModels } from './search-models.js';
import { VENDOR_FUNCTIONS } from './vendor-functions.js';
import { webFetch } from './web-fetch/web-fetch.js';
import { webSearch } from './web-search/web-search.js';

/** Every tool that this gateway serves. */
export const ALL_SERVICE_TOOLS: readonly ServiceTool[] = [
  advisor,
  bash,
  datetime,
  imageGeneration,
  searchModels,
  webFetch,
  webSearch,
  ...VENDOR_FUNCTIONS,
];

/** Token of the list, for whoever runs them. */
export const SERVICE_TOOLS = Symbol('service tools');
