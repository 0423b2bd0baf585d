import { GatewayError } from '../../core/errors.js';
import type { SearchEngineName, ToolEngine } from '../../core/routing/catalog.js';
import type { ToolSetup } from '../../core/tool.js';
import { exa } from './exa.js';
import { firecrawl } from './firecrawl.js';
import { parallel } from './parallel.js';
import { perplexity } from './perplexity.js';
import type { SearchEngine } from './search-engine.js';
import { searxng } from './searxng.js';
import { simulated } from './simulated.js';

const ENGINES: Readonly<Record<SearchEngineName, SearchEngine>> = {
  exa,
  parallel,
  firecrawl,
  perplexity,
  searxng,
  simulated,
};

/** An engine with its settings by the operator. */
export interface ChosenEngine {
  readonly name: string;
  readonly engine: SearchEngine;
  readonly settings: ToolEngine;
}

/** Facts that the choice of an engine depends on. */
export type SearchSetup = Pick<ToolSetup, 'catalog' | 'isSandbox'>;

/** Names that leave the choice to the gateway. Whether a vendor searches itself is decided elsewhere. */
const OPEN: ReadonlySet<string> = new Set(['auto', 'native']);

/**
 * The engine that the caller names, else the operator's default. Where the operator has set up none, requests to the
 * sandbox get the simulated engine; no other request does, because invented results must not pass for the web's.
 * @param path of the field that names it, for the error
 * @throws GatewayError `invalid-request` naming the setting that is missing
 */
export function chooseEngine(requested: string, { catalog, isSandbox }: SearchSetup, path: string): ChosenEngine {
  const { webSearch } = catalog.tools;
  const name = OPEN.has(requested) ? webSearch?.default : requested;
  const settings = name === undefined ? undefined : webSearch?.engines.get(name);
  if (name !== undefined && settings) return { name, engine: ENGINES[name as SearchEngineName], settings };
  if (isSandbox && (name === undefined || name === 'simulated'))
    return { name: 'simulated', engine: simulated, settings: {} };
  throw new GatewayError(
    'invalid-request',
    name === undefined
      ? `${path}: no engine of web searches is set up; the setting is tools.web_search of the catalog file`
      : `${path}: the engine ${name} is not set up, or lacks its credential; the setting is tools.web_search.engines.${name} of the catalog file`,
  );
}
