import { domainFilter } from '../../core/domains.js';
import { ExtensionFault, wasRequested, type WebRequest } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { RequestedTool, GatewayRunTool, ToolFailure, ToolFunction, ToolResult, ToolUse } from '../../core/tool.js';
import { assertServable } from '../servable.js';
import type { ToolDefinition } from '../tool-definition.js';
import { chooseEngine, type ChosenEngine, type SearchSetup } from './engines.js';
import { resultPages } from './result-pages.js';
import {
  failedSearch,
  isFailedSearch,
  printPages,
  recallPages,
  recallSearch,
  sourcesOf,
  viewPages,
} from './result-text.js';
import { webSearchParameters } from './parameters.js';
import type { SearchQuery } from './search-engine.js';
import { searchHosts, type SearchHosts } from './search-hosts.js';
import { readOptions, type SearchOptions } from './search-options.js';

/**
 * Searches the web with one of the engines that the operator has set up (docs/use/tools/web-search.md).
 */
export const webSearch: ToolDefinition = {
  types: ['openrouter:web_search', 'web_search_20250305', 'web_search_20260209', 'web_search_20260318'],
  parameters: { 'openrouter:web_search': webSearchParameters },
  // @openrouter/sdk 1.3.19, read 2026-11-29.
  openParameters: ['mode', 'x_search'],
  resultType: 'web_search_tool_result',
  offer: (requested, setup) => {
    assertServable(requested);
    return serveSearch(requested, setup);
  },
  recall: recallSearch,
  recallSources: recallPages,
  isFailure: isFailedSearch,
};

/**
 * The searches of one generation.
 * @throws GatewayError `invalid-request` for a domain that cannot be enforced, or naming the setting that is missing
 */
export function serveSearch(requested: RequestedTool, setup: SearchSetup): ServedSearch {
  const options = readOptions(requested);
  return new ServedSearch(chooseEngine(options.engine, setup, options.enginePath), options);
}

const FAILURE_OF: Readonly<Record<ExtensionFault['kind'], ToolFailure>> = {
  busy: 'too_many_requests',
  refused: 'unavailable',
  'not-found': 'unavailable',
  unsupported: 'unavailable',
  'too-large': 'unavailable',
  'timed-out': 'unavailable',
  unavailable: 'unavailable',
};

/** The searches of one generation, whose results are limited together. */
export class ServedSearch implements GatewayRunTool {
  readonly runsAt = 'gateway';
  readonly asFunction: ToolFunction;
  readonly engine: string;
  readonly price: PicoUsd;
  readonly usesMax: number;
  /** Longest query that its engine takes, in characters. */
  readonly queryCharactersMax: number;
  readonly fail = failedSearch;
  private readonly resultsMax: number;
  private resultsLeft: number;
  /** Searches under way that may return fewer results than they have taken; these promises never reject. */
  private readonly underWay = new Set<Promise<void>>();
  private readonly hosts: SearchHosts;
  private readonly isRequested: (url: string) => boolean;

  constructor(
    private readonly chosen: ChosenEngine,
    private readonly options: SearchOptions,
  ) {
    const { allowedDomains, blockedDomains } = options;
    this.resultsMax = Math.min(options.results, chosen.engine.resultsMax);
    this.resultsLeft = options.resultsTotal;
    this.hosts = searchHosts(allowedDomains, blockedDomains);
    this.isRequested = domainFilter({ ...(allowedDomains.length > 0 && { allowedDomains }), blockedDomains });
    this.asFunction = shownFunction(this.resultsMax, options);
    this.engine = chosen.name;
    this.price = costOf(chosen, this.resultsMax);
    this.usesMax = options.uses;
    this.queryCharactersMax = chosen.engine.queryCharactersMax;
  }

  async run({ query }: JsonObject, use: ToolUse): Promise<ToolResult> {
    const text = typeof query === 'string' ? query.trim() : '';
    if (text === '') return failedSearch('invalid_tool_input');
    if (text.length > this.queryCharactersMax) return failedSearch('query_too_long');
    let results = this.takeResults();
    while (results === 0 && this.underWay.size > 0) {
      await Promise.race(this.underWay);
      results = this.takeResults();
    }
    if (results === 0) return failedSearch('max_uses_exceeded');
    const { characters, location } = this.options;
    const searching = this.search({ text: text.toWellFormed(), results, characters, location, ...this.hosts }, use);
    const ended: Promise<void> = searching.then(
      ({ shown }) => this.returnResults(ended, results - shown),
      () => this.returnResults(ended, results),
    );
    this.underWay.add(ended);
    return (await searching).result;
  }

  /** Uses run in parallel: results taken by one are not available to others until it has returned fewer. */
  private takeResults(): number {
    const results = Math.min(this.resultsMax, this.resultsLeft);
    this.resultsLeft -= results;
    return results;
  }

  private returnResults(ended: Promise<void>, results: number): void {
    this.underWay.delete(ended);
    this.resultsLeft += results;
  }

  private async search(
    query: SearchQuery,
    { context }: ToolUse,
  ): Promise<{ readonly result: ToolResult; readonly shown: number }> {
    const { engines, guardedFetch, signal } = context;
    const { engine, settings } = this.chosen;
    try {
      const { results, characters } = query;
      const price = costOf(this.chosen, results);
      const found = await engine.search(query, { settings, name: this.engine, engines, signal, price });
      const allows = (url: string): boolean => this.isRequested(url) && guardedFetch.allows(url);
      const pages = resultPages(found, { results, characters, allows });
      context.charge(costOf(this.chosen, Math.min(found.length, results)), costOf(this.chosen, found.length));
      context.countWeb(this.webRequest(pages.length));
      const result = {
        text: printPages(pages),
        content: await viewPages(pages, (text, address) => context.seal(text, address)),
        sources: sourcesOf(pages),
        isError: false,
      };
      return { result, shown: pages.length };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ExtensionFault)) throw error;
      if (wasRequested(error)) context.countWeb(this.webRequest(0));
      return { result: failedSearch(FAILURE_OF[error.kind]), shown: 0 };
    }
  }

  private webRequest(results: number): WebRequest {
    return { kind: 'search', engine: this.engine, results };
  }
}

/** Cost of a search that returned this many results. */
function costOf({ engine: { surcharge }, settings: { price = 0n } }: ChosenEngine, results: number): PicoUsd {
  // At a price of 0, further results are free too.
  if (price === 0n || !surcharge) return price;
  return price + surcharge.perResult * BigInt(Math.max(0, results - surcharge.resultsCovered));
}

/** One schema for all: the validator caches each schema that it is given. */
const INPUT = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What to search for.' } },
  required: ['query'],
};

/** Maximum number of domains that the model's description lists; of more it only mentions that there are some. */
const DOMAINS_SHOWN = 10;

function shownFunction(results: number, { allowedDomains, location }: SearchOptions): ToolFunction {
  const sites = allowedDomains.length > DOMAINS_SHOWN ? 'some sites' : allowedDomains.join(', ');
  const near = [location.city, location.region, location.country].filter((part) => part !== undefined).join(', ');
  const sentences = [
    `Searches the web and gives up to ${results} results, each with title, URL, date and text.`,
    'Use it for what is recent, changes, or is not known for certain.',
    ...(sites === '' ? [] : [`Only ${sites} can be searched.`]),
    ...(near === '' ? [] : [`The user is near ${near}.`]),
  ];
  return {
    name: 'web_search',
    description: sentences.join(' '),
    inputSchema: INPUT,
  };
}
