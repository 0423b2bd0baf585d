import { domainList } from '../../../shared/http/maxima.js';
import { nullable, object, oneOf, optional } from '../../../shared/http/schema.js';
import { webSearchFields } from '../../../tools/web-search/parameters.js';
import { markedServiceTools } from './service-tools.js';

/** Other vendors' names of the gateway's own web search. */
export const WEB_SEARCH_SHORTHANDS = [
  'web_search',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'web_search_2025_08_26',
] as const;

const filters = object({
  allowed_domains: optional(nullable(domainList())),
  blocked_domains: optional(nullable(domainList())),
  excluded_domains: optional(nullable(domainList())),
});

export const isShorthand = object({ type: oneOf(WEB_SEARCH_SHORTHANDS) });

/** The fields of the gateway's search: its options beside the type or in `parameters`, and OpenAI's `filters`. */
export const shorthand = webSearchFields({
  type: oneOf(WEB_SEARCH_SHORTHANDS),
  filters: optional(nullable(filters)),
  ...markedServiceTools['openrouter:web_search'],
});
