import type { JoinedRules } from '../domains.js';
import type { JsonObject, Opaque } from '../json/json.js';
import type { Model } from '../routing/catalog.js';
import type { CacheMarker, Origin } from './content.js';

/** A tool that a model is shown as a function, whoever runs it. */
export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, in the caller's own words. */
  readonly inputSchema: JsonObject;
  /** Ask the provider to hold the model to the schema. */
  readonly strict?: boolean;
  /** This gateway runs it: its calls are no caller's. */
  readonly isServed?: boolean;
  readonly cacheMarker?: CacheMarker;
  readonly origin?: Origin;
}

/** A tool the vendor defines or runs (`bash_20250124`, `web_search_20250305`, …); `opaque.value.type` names it. */
export interface VendorTool {
  readonly type: 'vendor';
  readonly opaque: Opaque;
  /** The name the model calls it by, where it has one. */
  readonly name?: string;
  readonly cacheMarker?: CacheMarker;
  /** The domains that it is held to, its own among them, where account or key say any; set when it is planned. */
  readonly bound?: JoinedRules;
  /** The model that it lets the vendor consult; set when the request is planned. */
  readonly advisor?: Model;
  /** As it is shown where the target's vendor does not run it; set when the request is planned. */
  readonly served?: FunctionTool;
}

/**
 * Vendors' tools that the caller runs: they bring in nothing but what stands in the request. All others run at the
 * vendor.
 */
const RUN_BY_CALLER = /^(?:(?:bash|text_editor|computer|memory)_\d{8}|custom)$/;

/** Whether a vendor only defines the tool, and leaves its calls to the caller. */
export function isRunByCaller({ opaque }: VendorTool): boolean {
  const { type } = opaque.value;
  return typeof type === 'string' && RUN_BY_CALLER.test(type);
}

/** How errors name a tool that a plugin asks for: nobody has sent it. */
export interface PluginsTool {
  /** Of the plugin's entry: `plugins.0`. */
  readonly path: string;
  /** Options that have another name than the tool's parameter, by that. */
  readonly options: Readonly<Partial<Record<string, string>>>;
}

/** A tool this gateway runs between two model calls; `id` is its wire type, such as `openrouter:web_search`. */
export interface RequestedServiceTool {
  readonly type: 'service';
  readonly id: string;
  readonly parameters: JsonObject;
  readonly cacheMarker?: CacheMarker;
  /** As of a vendor's tool. */
  readonly bound?: JoinedRules;
  /** The plugin that would have vendors do its work: left out where one of the targets' vendors does not run it. */
  readonly byPlugin?: PluginsTool;
  /** The field beside `tools` that asked for it, which targets of its format may take in its stead. */
  readonly field?: 'web_search_options';
  /** Where errors say it stands, where that is not in `tools`: `plugins.0.tools.1`. */
  readonly path?: string;
  /** Where errors say its parameters stand, where that is not in `parameters`: in a plugin's entry. */
  readonly parametersPath?: string;
  /** As it is shown where the target's vendor does not run it; set when the request is planned. */
  readonly served?: FunctionTool;
}

/** A tool that is no function, and may be shown as one. */
export type NamedTool = VendorTool | RequestedServiceTool;

export type Tool = FunctionTool | NamedTool;

/** By the list itself, which nobody changes: who replaces a tool makes a new one. */
const known = new WeakMap<readonly Tool[], boolean>();

/** Whether all tools are functions of the caller's, as of nearly every request that has any: looked through once. */
export function hasOnlyFunctions(tools: readonly Tool[]): boolean {
  let areFunctions = known.get(tools);
  if (areFunctions === undefined) {
    areFunctions = true;
    for (const { type } of tools) areFunctions &&= type === 'function';
    known.set(tools, areFunctions);
  }
  return areFunctions;
}

/** As it was asked for. */
export const typeOf = (tool: NamedTool): string => {
  const type = tool.type === 'service' ? tool.id : tool.opaque.value['type'];
  return typeof type === 'string' ? type : '';
};

/** Which tool the model must or may call. */
export type ToolChoice = { readonly origin?: Origin } & (
  | { readonly type: 'auto' }
  | { readonly type: 'any' }
  | { readonly type: 'none' }
  | {
      readonly type: 'tool';
      /** Of a function, or what a tool of another kind answers to: its name, or its type. */
      readonly name: string;
      /** The tool itself, where the target's vendor has it; set when the request is fitted to the target. */
      readonly vendorTool?: VendorTool;
    }
);
