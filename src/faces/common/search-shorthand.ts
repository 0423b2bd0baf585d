import type { RequestedServiceTool } from '../../core/conversation/tools.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { WEB_SEARCH_SHORTHANDS } from './schemas/search-shorthand.js';

/** Other vendors' types of a web search, which the gateway's own tool answers. */
export const SHORTHANDS: ReadonlySet<string> = new Set(WEB_SEARCH_SHORTHANDS);
export const WEB_SEARCH = 'openrouter:web_search';

/** Options beside the type precede those in `parameters`, and these OpenAI's `filters`. */
export function readShorthand({ filters, parameters, ...options }: JsonObject): RequestedServiceTool {
  const values: [name: string, value: Json][] = [];
  const fields: [name: string, field: string][] = [];
  const add = (name: string, value: Json, field: string): void => {
    values.push([name, value]);
    fields.push([name, field]);
  };
  for (const [name, value] of membersOf(filters)) {
    if (value !== null) add(name === 'blocked_domains' ? 'excluded_domains' : name, value, `filters.${name}`);
  }
  for (const [name, value] of membersOf(parameters)) add(name, value, `parameters.${name}`);
  for (const [name, value] of membersOf(options)) add(name, value, name);
  return {
    type: 'service',
    id: WEB_SEARCH,
    parameters: Object.fromEntries(values),
    parameterFields: Object.fromEntries(fields),
  };
}

const membersOf = (value: Json | undefined): [name: string, value: Json][] =>
  isJsonObject(value) ? (Object.entries(value) as [name: string, value: Json][]) : [];
