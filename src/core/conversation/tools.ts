import type { JoinedRules } from '../domains.js';
import type { JsonObject, Opaque } from '../json/json.js';
import type { Model } from '../routing/catalog.js';
import type { CacheMarker, Origin } from './content.js';

/** A tool that a model receives as a function, whatever runs it. */
export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, unchanged. */
  readonly inputSchema: JsonObject;
  /** The provider is to hold the model to the schema. */
  readonly strict?: boolean;
  /** Whether the tool takes plain text: then arguments that are not JSON are the input itself. */
  readonly takesText?: true;
  /** This gateway runs it: its calls are not sent to the caller. */
  readonly isServed?: boolean;
  readonly cacheMarker?: CacheMarker;
  readonly origin?: Origin;
  /** Path of the tool in error messages, if it is nested: `tools.0.tools.1`. */
  readonly path?: string;
}

/** A tool the vendor defines or runs (`bash_20250124`, `web_search_20250305`, …); `opaque.value.type` names it. */
export interface VendorTool {
  readonly type: 'vendor';
  readonly opaque: Opaque;
  /** The name the model calls it by, where it has one. */
  readonly name?: string;
  readonly cacheMarker?: CacheMarker;
  /** As in `FunctionTool`. */
  readonly path?: string;
  /**
   * The domains it is limited to, its own included, where account or key limit any; set when the request is planned.
   */
  readonly bound?: JoinedRules;
  /** The model that the vendor may consult for it; set when the request is planned. */
  readonly advisor?: Model;
  /** The function that replaces the tool for targets whose vendor does not run it; set during planning. */
  readonly served?: FunctionTool;
}

/**
 * Vendor-defined tools that the caller runs: they add nothing from outside the request. All others run at the vendor.
 */
const RUN_BY_CALLER = /^(?:(?:bash|text_editor|computer|memory)_\d{8}|custom)$/;

/** Whether a vendor only defines the tool, and leaves its calls to the caller. */
export function isRunByCaller({ opaque }: VendorTool): boolean {
  const { type } = opaque.value;
  return typeof type === 'string' && RUN_BY_CALLER.test(type);
}

/** Names in errors for a tool that a plugin adds, because the caller has not sent it. */
export interface PluginsTool {
  /** Path of the plugin's entry: `plugins.0`. */
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
  /** As `bound` of `VendorTool`. */
  readonly bound?: JoinedRules;
  /**
   * The plugin that delegates its work to vendors: left out where one of the targets' vendors does not run the tool.
   */
  readonly byPlugin?: PluginsTool;
  /** The field beside `tools` that requested it, which targets of its format may receive instead. */
  readonly field?: 'web_search_options';
  /** Agents offer it by default: if neither gateway nor vendor can run it, it is left out with a warning. */
  readonly isByDefault?: true;
  /** The path of the tool in errors, where it is not in `tools`: `plugins.0.tools.1`. */
  readonly path?: string;
  /** The path of its parameters in errors, where they are not in `parameters`: in a plugin's entry. */
  readonly parametersPath?: string;
  /** Fields of the tool that contain a parameter, by its name, where it is elsewhere: `filters.allowed_domains`. */
  readonly parameterFields?: Readonly<Record<string, string>>;
  /** The function that replaces the tool for targets whose vendor does not run it; set during planning. */
  readonly served?: FunctionTool;
}

/** A tool that is not a function, and may be sent as one. */
export type NamedTool = VendorTool | RequestedServiceTool;

export type Tool = FunctionTool | NamedTool;

/** Cached by the list itself, which is immutable: code that replaces a tool makes a new list. */
const known = new WeakMap<readonly Tool[], boolean>();

/** Whether all tools are functions of the caller, which is true of nearly every request with tools: computed once. */
export function hasOnlyFunctions(tools: readonly Tool[]): boolean {
  let areFunctions = known.get(tools);
  if (areFunctions === undefined) {
    areFunctions = true;
    for (const { type } of tools) areFunctions &&= type === 'function';
    known.set(tools, areFunctions);
  }
  return areFunctions;
}

/** The type as it was requested. */
export const typeOf = (tool: NamedTool): string => {
  const type = tool.type === 'service' ? tool.id : tool.opaque.value['type'];
  return typeof type === 'string' ? type : '';
};

/** The only tools that a choice leaves to the model. */
export interface AllowedTools {
  /** Names of the allowed tools: a function's name, or the name or type of another tool. Absent: all of the request. */
  readonly allowed?: readonly string[];
}

/** The tools that the model may call; undefined: all of the request. */
export const allowedBy = (choice: ToolChoice | undefined): readonly string[] | undefined =>
  choice?.type === 'auto' || choice?.type === 'any' ? choice.allowed : undefined;

/** The choice with other names of its tools. */
export const withAllowedNames = (
  choice: ToolChoice,
  rename: (names: readonly string[]) => readonly string[],
): ToolChoice =>
  (choice.type === 'auto' || choice.type === 'any') && choice.allowed
    ? { ...choice, allowed: rename(choice.allowed) }
    : choice;

/** The tools that the model must or may call. */
export type ToolChoice = { readonly origin?: Origin } & (
  | ({ readonly type: 'auto' } & AllowedTools)
  | ({ readonly type: 'any' } & AllowedTools)
  | { readonly type: 'none' }
  | {
      readonly type: 'tool';
      /** The name of a function; for a tool of another kind, its name or type. */
      readonly name: string;
      /** The tool itself, where the target's vendor runs it; set when the request is fitted to the target. */
      readonly vendorTool?: VendorTool;
    }
);
