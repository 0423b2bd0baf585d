import type { ExtensionContext } from '../../src/core/extension.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { ToolEngine, ToolsConfiguration } from '../../src/core/routing/catalog.js';
import type { GatewayRunTool, ToolSetup } from '../../src/core/tool.js';
import { webSearch } from '../../src/tools/web-search/web-search.js';
import { extensionContext, runCharged, type ChargedResult } from './extension-context.js';
import { catalogOf } from './route-inputs.js';

/** The setup of an offer, with these engines configured. */
export const setupWith = (tools: ToolsConfiguration, parts: Partial<ToolSetup> = {}): ToolSetup => ({
  catalog: { ...catalogOf(), tools },
  modelOf: () => {
    throw new Error('A search asks for no model.');
  },
  ...parts,
});

export const engines = (
  entries: Readonly<Record<string, ToolEngine>>,
  preferred = Object.keys(entries)[0]!,
): ToolsConfiguration => ({ webSearch: { default: preferred, engines: new Map(Object.entries(entries)) } });

/** The tool as requested by a caller, ready for one generation. */
export const offerSearch = (tools: ToolsConfiguration, parameters: JsonObject = {}): GatewayRunTool =>
  webSearch.offer({ type: 'openrouter:web_search', parameters, path: 'tools.0' }, setupWith(tools)) as GatewayRunTool;

/** One search, as made by the tool loop. */
export const searchFor = (
  tool: GatewayRunTool,
  query: string,
  parts: Partial<ExtensionContext> = {},
): Promise<ChargedResult> => runCharged(tool, { query }, extensionContext(parts));
