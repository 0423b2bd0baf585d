import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type {
  AskedTool,
  ServedTool,
  ServiceTool,
  ToolFunction,
  ToolResult,
  ToolSetup,
  ToolUse,
} from '../../core/tool.js';
import { assertServable } from '../servable.js';
import { enginePages, PAGE_ENGINES } from './engines.js';
import { type FetchOptions, readFetchOptions } from './fetch-options.js';
import { fetchPage } from './fetched-page.js';
import { type Page, PageFailure, type PageSource } from './page.js';
import { failed, pageText, recallPage, viewPage } from './page-result.js';

/** In characters. Chosen: servers take no longer ones. */
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

/** Reads pages of the web: by the gateway's own guarded fetch, or by an engine of the catalog. */
export const webFetch: ServiceTool = {
  types: [
    'openrouter:web_fetch',
    'web_fetch_20250910',
    'web_fetch_20260209',
    'web_fetch_20260309',
    'web_fetch_20260318',
  ],
  resultType: 'web_fetch_tool_result',
  offer: (asked, setup) => {
    assertServable(asked, ['url_sources']);
    const options = readFetchOptions(asked);
    const { source, price } = sourceOf(options, asked, setup);
    const served: ServedTool = {
      runsAt: 'gateway',
      shown: SHOWN,
      price,
      usesMax: options.usesMax,
      counts: 'web-fetch',
      run: (input, use) => run(input, use, source, options, price),
      fail: (failure) => failed(failure),
    };
    return served;
  },
  recall: recallPage,
};

/** @throws GatewayError naming the setting that the engine lacks */
function sourceOf(
  { engine: name }: FetchOptions,
  { path }: AskedTool,
  { catalog }: ToolSetup,
): { readonly source: PageSource; readonly price: PicoUsd } {
  const { webFetch: configured } = catalog.tools;
  if (!PAGE_ENGINES.has(name)) return { source: fetchPage, price: configured?.price ?? 0n };
  const engine = configured?.engines.get(name);
  if (engine?.baseUrl === undefined) {
    const message = `${path}.parameters.engine: ${name} is not set up here (tools.web_fetch.engines.${name} of the catalog)`;
    throw new GatewayError('invalid-request', message);
  }
  return { source: enginePages(name, engine), price: engine.price ?? 0n };
}

async function run(
  { url }: JsonObject,
  { context }: ToolUse,
  source: PageSource,
  { tokensMax, hasCitations, allows }: FetchOptions,
  price: PicoUsd,
): Promise<ToolResult> {
  try {
    const page = await source({ url: readUrl(url), tokensMax, allows }, context);
    return resultOf(page, new Date(context.clock.now()), hasCitations, price);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof PageFailure) return failed(error.failure, error.message);
    if (!(error instanceof ExtensionFault)) throw error;
    return failed('unavailable');
  }
}

function readUrl(url: Json | undefined): string {
  if (typeof url !== 'string') throw new PageFailure('invalid_tool_input', 'has no address');
  if (url.length > URL_LENGTH_MAX) {
    throw new PageFailure('url_too_long', `has an address of more than ${URL_LENGTH_MAX} characters`);
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new PageFailure('invalid_tool_input', 'has no address that begins with https:// or http://');
  }
  return new URL(url).href;
}

function resultOf(page: Page, retrievedAt: Date, hasCitations: boolean, cost: PicoUsd): ToolResult {
  const content = viewPage(page, retrievedAt, hasCitations);
  const source = { url: page.url, ...(page.title !== '' && { title: page.title }) };
  return { text: pageText(content), content, sources: [source], isError: false, cost };
}
