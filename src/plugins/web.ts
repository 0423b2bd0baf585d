import type { Plugin } from '../core/plugin.js';
import { flag, oneOf, optional } from '../shared/http/schema.js';
import { domainList, modelText, wholeNumber } from '../shared/http/bounds.js';
import { userLocation } from '../shared/http/user-location.js';

/** Searches the web once before the model is asked (docs/wire/tools-and-plugins.md#plugins). */
export const web: Plugin = {
  id: 'web',
  options: {
    enabled: optional(flag()),
    engine: optional(oneOf(['native', 'exa', 'firecrawl', 'parallel', 'perplexity'])),
    max_results: optional(wholeNumber()),
    max_uses: optional(wholeNumber()),
    search_prompt: optional(modelText()),
    include_domains: optional(domainList()),
    exclude_domains: optional(domainList()),
    user_location: optional(userLocation),
  },
};
