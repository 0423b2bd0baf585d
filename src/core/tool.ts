import type { MediaSource } from './conversation/content.js';
import type { ModelRequest } from './conversation/request.js';
import { typeOf, type NamedTool, type Tool } from './conversation/tools.js';
import type { WebCitation } from './conversation/web-citation.js';
import type { JoinedRules } from './domains.js';
import type { ExtensionContext } from './extension.js';
import type { Json, JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';
import type { CatalogSnapshot, Model } from './routing/catalog.js';

/** The prefix of the types of all service tools (docs/use/conventions.md#two-names). */
export const SERVICE_TOOL_PREFIX = 'openrouter:';

const KIND = new RegExp(`^(?:${SERVICE_TOOL_PREFIX})?(web_search|web_fetch|advisor)(?:_|$)`);

/** The kind of a tool that vendors offer as well, whatever runs it and whatever its version. */
export const kindOf = (type: string): 'web_search' | 'web_fetch' | 'advisor' | undefined =>
  KIND.exec(type)?.[1] as ReturnType<typeof kindOf>;

/** The name that models know a vendor-run or vendor-defined tool by; callers may use it beside the type. */
export const ownName = (tool: NamedTool): string | undefined =>
  tool.type === 'vendor' ? tool.name : tool.id.replace(SERVICE_TOOL_PREFIX, '');

/** Names that `tool_choice` may use for a tool. A tool that runs as a function is chosen by the function's name. */
function matchingNames(tool: Tool): readonly (string | undefined)[] {
  if (tool.type === 'function') return [tool.name];
  return tool.served ? [tool.served.name] : [typeOf(tool), ownName(tool)];
}

/** Whether a choice means a tool by this name. */
export const matchesToolName = (tool: Tool, name: string): boolean => matchingNames(tool).includes(name);

/** Whether a choice means a tool by one of these names. */
export const matchesOneToolName = (tool: Tool, names: ReadonlySet<string | undefined>): boolean =>
  matchingNames(tool).some((name) => names.has(name));

/** The index of each tool by the names that it answers to; of several that answer to one, the first. */
export function indexByName(tools: readonly Tool[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    for (const name of matchingNames(tool)) if (name !== undefined && !indexes.has(name)) indexes.set(name, index);
  }
  return indexes;
}

/**
 * Whether a choice by this name means a tool of the request. A vendor's set of tools, which has no name, may hold any.
 */
export const hasTool = (tools: readonly Tool[], name: string): boolean =>
  tools.some((tool) => matchesToolName(tool, name) || (tool.type === 'vendor' && tool.name === undefined));

/** The function that a model receives instead of a tool. */
export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** A tool as a caller requests it in `tools[]`. */
export interface RequestedTool {
  /** `type` of the tool in the request, such as `openrouter:web_search` or `web_search_20250305`. */
  readonly type: string;
  /** Options of the tool: `parameters` of a service tool, or the fields next to `type` of a vendor's tool. */
  readonly parameters: JsonObject;
  /** Path of the tool in the request, for error messages: `tools.0`. */
  readonly path: string;
  /** As in `RequestedServiceTool`. */
  readonly parametersPath?: string;
  /** As in `RequestedServiceTool`. */
  readonly parameterFields?: Readonly<Record<string, string>>;
  /** The domains that a search is limited to, including its own; absent: its own alone. */
  readonly bound?: JoinedRules;
}

/** Path of a parameter in the request, for error messages. */
export function parameterPath(
  { type, path, parametersPath, parameterFields }: Omit<RequestedTool, 'parameters'>,
  name: string,
): string {
  const field = parameterFields?.[name];
  if (field !== undefined) return `${path}.${field}`;
  return `${parametersPath ?? (type.startsWith(SERVICE_TOOL_PREFIX) ? `${path}.parameters` : path)}.${name}`;
}

/** Why a use failed, in the terms of the Messages format (docs/use/tools-and-plugins.md#results). */
export type ToolFailure =
  | 'invalid_tool_input'
  | 'max_uses_exceeded'
  | 'too_many_requests'
  | 'query_too_long'
  | 'request_too_large'
  | 'url_too_long'
  | 'url_not_allowed'
  | 'url_not_accessible'
  | 'unsupported_content_type'
  | 'unavailable';

/** The result of one use of a tool. A failure is a result as well: the model receives it, and may continue. */
export interface ToolResult {
  /** The text for the model. */
  readonly text: string;
  /** `content` of the result block, for the caller. */
  readonly content: Json;
  /** The picture in it. */
  readonly image?: MediaSource;
  /** Pages that the text is based on, in its order: cited by the blocks of the answer that use them. */
  readonly sources: readonly WebCitation[];
  readonly isError: boolean;
}

/** The context of a use. */
export interface ToolUse {
  readonly context: ExtensionContext;
  /** Number of this use of this tool in this generation, from 1. */
  readonly number: number;
}

/** A tool of one generation that the gateway runs. It may keep state across its uses. */
export interface GatewayRunTool {
  readonly runsAt: 'gateway';
  readonly asFunction: ToolFunction;
  /** The highest cost of one use: held before it runs. */
  readonly price: PicoUsd;
  /** Further uses fail without being run. */
  readonly usesMax: number;
  /**
   * Name of the engine that runs the tool, a value of the tool's `engine`; absent: the tool has no choice of engines.
   */
  readonly engine?: string;
  /** Id of the model that it consults. */
  readonly model?: string;
  /**
   * The request of a use to a model, as far as it decides about the plan and is known beforehand; absent: it calls
   * none. Requests share one plan if they have the same model, modalities, output limit and length of instructions, and
   * all or none of them have the conversation.
   */
  readonly consults?: (request: ModelRequest) => ModelRequest;
  /**
   * Runs one use. `input` has been validated against `inputSchema`.
   * @throws the signal's reason, or a bug of the gateway, which is logged: every other failure is a result
   */
  run(input: JsonObject, use: ToolUse): Promise<ToolResult>;
  /** The result of a use that was not run, or whose input did not fit. */
  fail(failure: ToolFailure, input: Json): ToolResult;
}

/** A tool that any model receives as a function, and whose calls the caller answers. */
export interface CallerRunTool {
  readonly runsAt: 'caller';
  readonly asFunction: ToolFunction;
}

/** Inputs of an offer of a tool. */
export interface ToolSetup {
  /** The snapshot that the generation was planned with. */
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers it, whose tools need no external engine. Absent: false. */
  readonly isSandbox?: boolean;
  /** @returns the model of a name that this caller may use. @throws GatewayError as planning does */
  readonly modelOf: (name: Json | undefined, path: string) => Model;
}

/**
 * Opens what `ExtensionContext.seal` sealed, by the part of a result's `content` that has it as `encrypted_content`;
 * undefined: the key no longer exists, or another gateway made the seal. The seals of a conversation are opened
 * beforehand, in slices.
 */
export type OpenSeal = (part: JsonObject) => Json | undefined;

/** A tool that this gateway can run for any model. One folder and one entry in the list of tools. */
export interface ServiceTool {
  /** Types of `tools[]` that request it. */
  readonly types: readonly string[];
  /** Type of its result blocks in the Messages format: by it, results of earlier turns are recognised. */
  readonly resultType: string;
  /**
   * The requested tool, ready for one generation.
   * @throws GatewayError `invalid-request` naming the missing setting
   */
  offer(requested: RequestedTool, setup: ToolSetup): GatewayRunTool | CallerRunTool;
  /**
   * The text for the model, from the `content` of a result block that came back; a placeholder for what cannot be
   * opened.
   */
  recall(content: Json, open: OpenSeal): string;
  /** The pages that this text is based on, as `ToolResult.sources` had them. Absent: there never are any. */
  recallSources?(content: Json, open: OpenSeal): readonly WebCitation[];
  /** Whether that `content` is of a use that failed, as this tool encodes it. */
  isFailure(content: Json): boolean;
}
