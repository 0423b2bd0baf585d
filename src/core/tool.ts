import type { MediaSource } from './conversation/content.js';
import type { ModelRequest } from './conversation/request.js';
import type { NamedTool } from './conversation/tools.js';
import type { WebCitation } from './conversation/web-citation.js';
import type { JoinedRules } from './domains.js';
import type { ExtensionContext } from './extension.js';
import type { Json, JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';
import type { CatalogSnapshot, Model } from './routing/catalog.js';

/** How the types of all service-side tools begin (docs/wire/clients.md#two-names). */
export const SERVICE_TOOL_PREFIX = 'openrouter:';

const KIND = new RegExp(`^(?:${SERVICE_TOOL_PREFIX})?(web_search|web_fetch|advisor)(?:_|$)`);

/** What a tool of this type does of what vendors do as well, whoever runs it and whichever release it is of. */
export const kindOf = (type: string): 'web_search' | 'web_fetch' | 'advisor' | undefined =>
  KIND.exec(type)?.[1] as ReturnType<typeof kindOf>;

/** What models know a tool by whose vendor runs it, or defines it, and what callers may call it beside its type. */
export const ownName = (tool: NamedTool): string | undefined =>
  tool.type === 'vendor' ? tool.name : tool.id.replace(SERVICE_TOOL_PREFIX, '');

/** The function that a model sees in a tool's place. */
export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** A tool as a caller asks for it in `tools[]`. */
export interface AskedTool {
  /** Its wire type, such as `openrouter:web_search` or `web_search_20250305`. */
  readonly type: string;
  /** What is said of it: `parameters` of the gateway's own, the fields beside `type` of a vendor's. */
  readonly parameters: JsonObject;
  /** Where it stands in the request, for errors: `tools.0`. */
  readonly path: string;
  /** The domains that a search is held to, those that it asks for among them; absent: its own alone. */
  readonly bound?: JoinedRules;
}

/** Why a use came to nothing, in the words of the Messages format (docs/wire/tools-and-plugins.md#results). */
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

/** What one use of a tool came to. A failure is a result as well: the model is told, and may go on. */
export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** What the caller sees: `content` of the result block. */
  readonly content: Json;
  /** What of that is a picture. */
  readonly image?: MediaSource;
  /** Pages the text stands on, in its order: cited by those blocks of the answer that use them. */
  readonly sources: readonly WebCitation[];
  readonly isError: boolean;
}

/** What a use is given beside its arguments. */
export interface ToolUse {
  readonly context: ExtensionContext;
  /** From 1, of this tool in this generation. */
  readonly number: number;
}

/** A tool of one generation, which the gateway runs. It may count what its uses took together. */
export interface ServedTool {
  readonly runsAt: 'gateway';
  readonly shown: ToolFunction;
  /** The most that one use can cost: held before it runs. */
  readonly price: PicoUsd;
  /** Uses beyond it fail without being run. */
  readonly usesMax: number;
  /** Who does the work, in the words of the tool's `engine`; absent: it knows no choice of any. */
  readonly engine?: string;
  /** Id of the model that it consults. */
  readonly model?: string;
  /**
   * What a use asks of a model, as far as it decides who is asked and is known before there is one; absent: it asks
   * none. Two that name the same model, with and without the conversation, with instructions of one length, and want as
   * long an answer of the same kind are planned alike.
   */
  readonly consults?: (request: ModelRequest) => ModelRequest;
  /**
   * Runs one use. Called with an object that fits the schema shown.
   * @throws the signal's reason, or what is a fault of ours, which is logged: whatever else goes wrong is a result
   */
  run(input: JsonObject, use: ToolUse): Promise<ToolResult>;
  /** The result of a use that was not run, or did not fit. */
  fail(failure: ToolFailure, input: Json): ToolResult;
}

/** A tool that any model is shown as a function, whose calls the caller answers. */
export interface HandedTool {
  readonly runsAt: 'caller';
  readonly shown: ToolFunction;
}

/** What an offer is made from. */
export interface ToolSetup {
  /** The snapshot that the generation is planned with. */
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers it, whose tools need no engine outside. Absent: not so. */
  readonly isSandbox?: boolean;
  /** @returns the model of a name that this caller may use. @throws GatewayError as planning does */
  readonly modelOf: (name: Json | undefined, path: string) => Model;
}

/**
 * What `ExtensionContext.seal` closed, by the part of a result's `content` whose `encrypted_content` it is; undefined:
 * its key is gone, or it is none of ours. Seals of a conversation are opened before, in turns.
 */
export type OpenSeal = (part: JsonObject) => Json | undefined;

/** A tool that this gateway knows to serve, behind any model. One file and one line in the list of tools. */
export interface ServiceTool {
  /** Types of `tools[]` that mean it. */
  readonly types: readonly string[];
  /** Types of the blocks that its results are in the Messages format: by them those of earlier turns are known. */
  readonly resultType: string;
  /**
   * The tool as it was asked for, ready for one generation.
   * @throws GatewayError `invalid-request` naming the setting that it lacks
   */
  offer(asked: AskedTool, setup: ToolSetup): ServedTool | HandedTool;
  /** What the model read, from the `content` of a result block that came back; in plain words what cannot be opened. */
  recall(content: Json, open: OpenSeal): string;
  /** The pages that this text stands on, as `ToolResult.sources` had them. Absent: it never stands on any. */
  recallSources?(content: Json, open: OpenSeal): readonly WebCitation[];
  /** Whether that `content` is of a use that failed, in this tool's own words for it. */
  isFailure(content: Json): boolean;
}
