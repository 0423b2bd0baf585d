import { parseUrl } from '../../core/parse-url.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type WebRequest } from '../../core/extension.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import {
  parameterPath,
  type RequestedTool,
  type GatewayRunTool,
  type ToolFailure,
  type ToolFunction,
  type ToolResult,
  type ToolSetup,
  type ToolUse,
} from '../../core/tool.js';
import { object, oneOf, optional } from '../../shared/http/schema.js';
import { count, domains } from '../parameter-fields.js';
import { assertServable } from '../servable.js';
import type { ToolDefinition } from '../tool-definition.js';
import { enginePages, PAGE_ENGINES } from './engines.js';
import { type FetchOptions, readFetchOptions } from './fetch-options.js';
import { fetchPage } from './fetched-page.js';
import { type Page, PageFailure, type PageSource } from './page.js';
import { failed, isFailedPage, pageSources, pageText, recallPage, viewPage } from './page-result.js';

/** The gateway's own fetch, as `engine` names it. */
const OWN_ENGINE = 'openrouter';
/** Characters. Chosen: servers take no longer ones. */
const URL_LENGTH_MAX = 8_192;

const SHOWN: ToolFunction = {
  name: 'web_fetch',
  description:
    'Fetches one web page or PDF and returns its title, address and text. Use it for an address that the user gave ' +
    'or that you found before; it runs no scripts and cannot log in.',
  inputSchema: {
    type: 'object',
    properties: { url: { type: 'string', description: 'The whole address, beginning with https:// or http://.' } },
    required: ['url'],
    additionalProperties: false,
  },
};

/** Reads web pages with the gateway's own guarded fetch, or with an engine of the catalog. */
export const webFetch: ToolDefinition = {
  types: [
    'openrouter:web_fetch',
    'web_fetch_20250910',
    'web_fetch_20260209',
    'web_fetch_20260309',
    'web_fetch_20260318',
  ],
  parameters: {
    'openrouter:web_fetch': object({
      engine: optional(oneOf(['auto', 'native', 'openrouter', 'exa', 'parallel', 'firecrawl'])),
      max_uses: count,
      max_content_tokens: count,
      allowed_domains: domains,
      blocked_domains: domains,
    }),
  },
  openParameters: ['citations'],
  resultType: 'web_fetch_tool_result',
  offer: (requested, setup) => {
    assertServable(requested, ['url_sources']);
    const options = readFetchOptions(requested);
    const origin = originOf(options, requested, setup);
    const served: GatewayRunTool = {
      runsAt: 'gateway',
      asFunction: SHOWN,
      engine: origin.engine,
      price: origin.price,
      usesMax: options.usesMax,
      run: (input, use) => run(input, use, origin, options),
      fail: (failure) => failed(failure),
    };
    return served;
  },
  recall: recallPage,
  recallSources: pageSources,
  isFailure: isFailedPage,
};

/** The source of pages, its engine's name, and the most that a page costs. */
interface PageOrigin {
  readonly engine: string;
  readonly source: PageSource;
  readonly price: PicoUsd;
}

/** @throws GatewayError naming the setting that the engine lacks */
function originOf({ engine: name }: FetchOptions, requested: RequestedTool, { catalog }: ToolSetup): PageOrigin {
  const { webFetch: configured } = catalog.tools;
  if (!PAGE_ENGINES.has(name)) return ownOrigin(configured?.price ?? 0n);
  const engine = configured?.engines.get(name);
  if (engine?.baseUrl === undefined) {
    const message = `${parameterPath(requested, 'engine')}: ${name} is not set up here (tools.web_fetch.engines.${name} of the catalog)`;
    throw new GatewayError('invalid-request', message);
  }
  return { engine: name, source: enginePages(name, engine), price: engine.price ?? 0n };
}

const ownOrigin = (price: PicoUsd): PageOrigin => ({
  engine: OWN_ENGINE,
  price,
  source: async (request, context) => {
    const page = await fetchPage(request, context);
    context.charge(price);
    return page;
  },
});

async function run(
  { url }: JsonObject,
  { context }: ToolUse,
  { engine, source }: PageOrigin,
  { tokensMax, hasCitations, allows }: FetchOptions,
): Promise<ToolResult> {
  const web = (results: number): WebRequest => ({ kind: 'fetch', engine, results });
  try {
    const page = await source({ url: readUrl(url), tokensMax, allows }, context);
    context.countWeb(web(1));
    return resultOf(page, new Date(context.clock.now()), hasCitations);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof PageFailure) {
      if (!error.isUnsent) context.countWeb(web(0));
      return failed(error.failure, error.message);
    }
    if (!(error instanceof ExtensionFault)) throw error;
    return failed('unavailable');
  }
}

function readUrl(url: Json | undefined): string {
  if (typeof url !== 'string') throw unsentFailure('invalid_tool_input', 'has no address');
  if (url.length > URL_LENGTH_MAX)
    throw unsentFailure('url_too_long', `has an address of more than ${URL_LENGTH_MAX} characters`);
  const read = parseUrl(url);
  if (!read || !/^https?:$/.test(read.protocol))
    throw unsentFailure('invalid_tool_input', 'has no address that begins with https:// or http://');
  return read.href;
}

const unsentFailure = (failure: ToolFailure, why: string): PageFailure =>
  new PageFailure(failure, why, { isUnsent: true });

function resultOf(page: Page, retrievedAt: Date, hasCitations: boolean): ToolResult {
  const content = viewPage(page, retrievedAt, hasCitations);
  return { text: pageText(content), content, sources: pageSources(content), isError: false };
}
