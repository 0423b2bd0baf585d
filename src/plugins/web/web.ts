import type { TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { typeOf, type RequestedServiceTool, type Tool } from '../../core/conversation/tools.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { definedOnly } from '../../core/defined.js';
import type { JoinedRules } from '../../core/domains.js';
import type { Egress } from '../../core/egress.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { textTokens } from '../../core/money/text-tokens.js';
import { pluginPath, SHORTENED_LEAST, type Consulted, type Plugin, type Prepared } from '../../core/plugin.js';
import { kindOf } from '../../core/tool.js';
import { flag, oneOf, optional } from '../../shared/http/schema.js';
import { domainRules, modelText, wholeNumber } from '../../shared/http/maxima.js';
import { userLocation } from '../../tools/web-search/user-location.js';
import { readDomains } from '../../tools/domain-list.js';
import { cut } from '../../tools/web-search/result-pages.js';
import { serveSearch, type ServedSearch } from '../../tools/web-search/web-search.js';

const ID = 'web';
const TOOL = 'openrouter:web_search';
/** Maximum number of results of one search; the tool has the same limit. */
const RESULTS_MAX = 25;

/** Options that have another name than the tool's parameter. */
const OPTION_NAMES = { allowed_domains: 'include_domains', excluded_domains: 'exclude_domains' } as const;

/** Searches the web once before the model is called (docs/use/plugins/web.md). */
export const web: Plugin = {
  id: ID,
  options: {
    enabled: optional(flag()),
    engine: optional(oneOf(['native', 'exa', 'firecrawl', 'parallel', 'perplexity'])),
    max_results: optional(wholeNumber({ min: 1, max: RESULTS_MAX })),
    max_uses: optional(wholeNumber()),
    search_prompt: optional(modelText()),
    include_domains: optional(domainRules()),
    exclude_domains: optional(domainRules()),
    user_location: optional(userLocation),
  },
  prepare,
  price: (request, options, context) => servedSearch(request, options, context)?.price ?? 0n,
  addedTokens: (request, options, context) =>
    servedSearch(request, options, context) ? textTokens(promptOf(options, context)) + SHORTENED_LEAST : 0,
  consult,
};

/** Offers the vendors' own search. The planner drops it where not every candidate has one. */
function prepare(request: ModelRequest, options: JsonObject): Prepared {
  const path = pluginPath(request, ID);
  const { engine = 'native', max_uses: uses } = options;
  const { toolChoice: choice } = request;
  const isFree = choice === undefined || (choice.type === 'auto' && choice.allowed === undefined);
  if (engine !== 'native' || uses === 0 || !isFree || request.tools.some(isSearch)) return { request };
  const tool: RequestedServiceTool = {
    type: 'service',
    id: TOOL,
    parameters: parametersOf(options),
    byPlugin: { path, options: OPTION_NAMES },
  };
  return { request: { ...request, tools: [...request.tools, tool] } };
}

async function consult(request: ModelRequest, options: JsonObject, context: ExtensionContext): Promise<Consulted> {
  if (isVendors(request)) return { request, note: { summary: 'left to the vendor' } };
  const search = servedSearch(request, options, context);
  const query = queryIn(request);
  if (!search || query === undefined) return { request, note: { summary: 'nothing searched for' } };
  const text = cut(query.text, search.queryCharactersMax);
  const { sources, text: results, isError } = await search.run({ query: text }, { context, number: 1 });
  if (isError) throw new ExtensionFault('unavailable', `the search by ${search.engine} came to nothing`);
  const note = { summary: 'searched', data: { engine: search.engine, results: sources.length } };
  if (sources.length === 0) return { request, note, sources };
  return { request: withResults(request, query.at, promptOf(options, context), results), note, sources };
}

/**
 * @returns undefined where the gateway makes no search
 * @throws GatewayError `invalid-request` naming the setting that is missing
 */
function servedSearch(request: ModelRequest, options: JsonObject, context: ExtensionContext): ServedSearch | undefined {
  if (isVendors(request) || options['max_uses'] === 0 || !mayHaveQuery(request)) return undefined;
  const path = pluginPath(request, ID);
  // Checked here, because the search would name its own parameters in errors.
  for (const name of Object.values(OPTION_NAMES)) readDomains(options[name], `${path}.${name}`);
  const bound = boundOf(options, context.caller.egress, path);
  const requested = { type: ID, parameters: parametersOf(options), path, ...(bound && { bound }) };
  return serveSearch(requested, context);
}

/**
 * The rules that the search obeys, its own domains included.
 * @throws GatewayError `forbidden` where they leave nothing
 */
function boundOf(options: JsonObject, egress: Egress | undefined, path: string): JoinedRules | undefined {
  if (!egress) return undefined;
  const [allowed, blocked] = [domainsIn(options['include_domains']), domainsIn(options['exclude_domains'])];
  const bound = egress.joinedWith({ ...(allowed.length > 0 && { allowedDomains: allowed }), blockedDomains: blocked });
  if (bound.allowedDomains?.length !== 0) return bound;
  throw new GatewayError('forbidden', `${path}: no domain is left that this key may reach (egress of key and account)`);
}

const domainsIn = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A file that is still to be read may contain a query. */
const mayHaveQuery = (request: ModelRequest): boolean =>
  queryIn(request) !== undefined || traitsOf(request.messages).hasDocuments;

/** The last text of a user, and the index of its turn. */
function queryIn({ messages }: ModelRequest): { readonly text: string; readonly at: number } | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, content } = messages[at]!;
    const words = content.findLast((block): block is TextBlock => block.type === 'text' && block.text.trim() !== '');
    if (role === 'user' && words) return { text: words.text.trim(), at };
  }
  return undefined;
}

const isVendors = ({ tools }: ModelRequest): boolean =>
  tools.some((tool) => tool.type === 'service' && tool.byPlugin !== undefined && tool.id === TOOL);

const isSearch = (tool: Tool): boolean => tool.type !== 'function' && kindOf(typeOf(tool)) === 'web_search';

/**
 * The options as parameters of the tool. They include what no vendor supports, so that such a search is not left to the
 * vendor.
 */
function parametersOf(options: JsonObject): JsonObject {
  const { engine, max_results, max_uses, search_prompt, include_domains, exclude_domains, user_location } = options;
  return definedOnly({
    engine,
    max_results,
    max_uses,
    search_prompt,
    allowed_domains: include_domains,
    excluded_domains: exclude_domains,
    user_location,
  });
}

function promptOf({ search_prompt: prompt, user_location: location }: JsonObject, { clock }: ExtensionContext): string {
  if (typeof prompt === 'string') return prompt;
  const day = new Date(clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const parts = isJsonObject(location) ? [location['city'], location['region'], location['country']] : [];
  const near = parts.filter((part): part is string => typeof part === 'string' && part !== '').join(', ');
  return [
    `The web was searched for this message on ${day}. Use what was found as far as it answers it.`,
    ...(near === '' ? [] : [`The user is near ${near}.`]),
  ].join(' ');
}

/** Appended to the turn that was searched for: what comes before may be in the provider's cache. */
function withResults(request: ModelRequest, at: number, prompt: string, results: string): ModelRequest {
  const keeps = { start: prompt.length, end: 0 };
  const block: TextBlock = { type: 'text', text: `${prompt}\n\n${results}`, keeps };
  const { origin: _origin, ...turn } = request.messages[at]!;
  return { ...request, messages: request.messages.with(at, { ...turn, content: [...turn.content, block] }) };
}
