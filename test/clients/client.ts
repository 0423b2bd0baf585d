import type { JsonBody } from '../support/recorded-request.js';

// The requests to every client under test, and what its user sees of the answer, in a form of none of them.

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'pdf'; readonly base64: string };

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** A conversation as its client keeps it, to be continued by the same client. */
export type History = readonly unknown[];

export interface Question {
  readonly model: string;
  readonly system?: string;
  readonly history?: History;
  /** The new turn: the user's words, or the results of the tools that the last answer called. */
  readonly turn: string | readonly Part[] | { readonly results: readonly ToolResult[] };
  readonly tools?: readonly { readonly name: string; readonly schema: JsonSchema }[];
  /** Tokens; thinking is not requested when absent. */
  readonly thinkingBudget?: number;
}

/** Mutable, as the clients' own types want it. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type: 'object';
  properties: Record<string, { type: 'string' | 'number' }>;
  required: string[];
  additionalProperties: boolean;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Called at each piece of text of a streamed answer. */
  readonly onText?: () => void;
}

/** An answer as the client's user sees it. */
export interface Sight {
  readonly id: string;
  /** `X-Generation-Id`, as the client shows response headers. */
  readonly generationId: string | null;
  readonly model: string;
  readonly text: string;
  readonly thinking: readonly { readonly text: string; readonly signature: string }[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: JsonBody }[];
  readonly stopReason: string;
  readonly usage: TokenCounts;
  /** With this answer as its last turn. */
  readonly history: History;
}

export interface TokenCounts {
  /** Neither read from a cache nor written to it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** An error as the client's user sees it. */
export interface Fault {
  /** The class that a caller would catch. */
  readonly errorName: string;
  /** Absent for errors in a stream that had begun. */
  readonly status: number | undefined;
  /** `error.type` of the body. */
  readonly type: string | undefined;
  /** The gateway's own message. */
  readonly message: string;
  readonly retryAfter: string | null;
}

/** One client with its base URL and key. It does not retry. */
export interface Client {
  /** Rejects with the client's own error. */
  ask(question: Question, streamed: boolean, options?: AskOptions): Promise<Sight>;
  /** The answer in the shape of a schema, by the client's own way of requesting it. */
  askInShape(question: Question, schema: JsonSchema): Promise<unknown>;
  /** @throws the client's error, where it does not come from a reply of the gateway */
  faultOf(error: unknown): Fault;
}

export interface ClientKind {
  readonly name: string;
  /** @param origin of the gateway */
  connect(origin: string, key: string): Client;
  /** The class this client throws for a status. */
  errorName(status: number): string;
  /** The class that it throws, or names, for an error in a stream that has begun. */
  readonly inBandErrorName: string;
  /** For unknown models, requests a schema by forcing a tool, rather than by `output_config`. */
  readonly requestsShapeByTool: boolean;
  /**
   * Takes the tokens of the prompt from a stream's first event alone, where a provider reports them only at the end.
   */
  readonly readsPromptTokensOnce: boolean;
  /** The class that it throws when its user leaves. */
  readonly abortName: string;
}
