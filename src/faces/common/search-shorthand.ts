import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { WEB_SEARCH_SHORTHANDS } from './schemas/search-shorthand.js';

/** Other vendors' types of a web search, which the gateway's own tool answers. */
export const SHORTHANDS: ReadonlySet<string> = new Set(WEB_SEARCH_SHORTHANDS);
export const WEB_SEARCH = 'openrouter:web_search';

/** Options beside the type precede those in `parameters`, and these OpenAI's `filters`. */
export function readShorthand({ filters, parameters, ...options }: JsonObject): JsonObject {
  const { allowed_domains, blocked_domains, ...others }: JsonObject = isJsonObject(filters) ? filters : {};
  const fromFilters = { allowed_domains, excluded_domains: blocked_domains, ...others };
  return {
    ...Object.fromEntries(Object.entries(fromFilters).filter(([, value]) => value !== undefined && value !== null)),
    ...(isJsonObject(parameters) && parameters),
    ...options,
  };
}
