import type { Base64Text } from '../../../core/json/base64-text.js';
import type { Json, JsonObject } from '../../../core/json/json.js';

// The parts of a Converse body that the gateway writes
// (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html).

export interface CachePoint {
  readonly cachePoint: { readonly type: 'default'; readonly ttl?: '5m' | '1h' };
}

export type Bytes = string | Base64Text;

export interface TextPart {
  readonly text: string;
}
export interface MediaPart {
  readonly format: string;
  readonly source: { readonly bytes: Bytes };
}
export interface DocumentPart {
  readonly format: string;
  readonly name: string;
  readonly source: { readonly bytes: Bytes } | { readonly content: readonly TextPart[] };
  readonly context?: string;
  readonly citations?: { readonly enabled: boolean };
}
export interface SearchResultPart {
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextPart[];
  readonly citations: { readonly enabled: boolean };
}

/** Content that both a tool result and a turn may hold. */
export type ResultPart =
  | TextPart
  | { readonly image: MediaPart }
  | { readonly video: MediaPart }
  | { readonly document: DocumentPart }
  | { readonly searchResult: SearchResultPart };

export interface ToolResultPart {
  readonly toolResult: {
    readonly toolUseId: string;
    readonly content: readonly ResultPart[];
    readonly status?: 'error';
  };
}

export type Part =
  | ResultPart
  | CachePoint
  | ToolResultPart
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonObject } }
  | { readonly reasoningContent: JsonObject };

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Part[];
}

export type SystemPart = TextPart | CachePoint;
export type ToolPart = { readonly toolSpec: JsonObject } | CachePoint;

export interface ToolConfig {
  readonly tools: ToolPart[];
  readonly toolChoice?: Json;
}
