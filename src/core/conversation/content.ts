import type { Json, JsonObject, Opaque, Vendor } from '../json/json.js';
import type { ReasoningMark } from './reasoning-mark.js';
import type { WebCitation } from './web-citation.js';

/** Marks the end of a prefix that the provider should cache. */
export interface CacheMarker {
  /** Absent: the provider's default, five minutes. */
  readonly ttl?: '5m' | '1h';
}

/**
 * The wire object a value was read from. A dialect of the same vendor prints it as it came, so that nothing is lost and
 * equal prefixes stay equal bytes. Whoever rewrites the value makes a new one without it.
 */
export interface Origin {
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

interface Block {
  readonly cacheMarker?: CacheMarker;
  readonly origin?: Origin;
}

export interface TextBlock extends Block {
  readonly type: 'text';
  readonly text: string;
  /** Citations in the vendor's shape. */
  readonly citations?: readonly Json[];
  /** What part of the model's work it was, in its vendor's word (`commentary`, `final_answer`), who wants it back. */
  readonly phase?: string;
  /** Where there is no room for all of it in the prompt it may be cut: in UTF-16 units, what stays of both its ends. */
  readonly keeps?: { readonly start: number; readonly end: number };
}

/** Bytes carried in the request (base64, never decoded on the way) or an address the caller named. */
export type MediaSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

export interface ImageBlock extends Block {
  readonly type: 'image';
  readonly source: MediaSource;
  /** It stands in a file that is told in words: a model that takes no images is told of it. */
  readonly isOfFile?: true;
  /** How closely to look, where the vendor knows it: `auto`, `low`, `high`, `original`. */
  readonly detail?: string;
}

export type DocumentSource =
  | MediaSource
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'blocks'; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | { readonly type: 'file'; readonly fileId: string };

/**
 * A file in words, beside the file itself: for models that take none (docs/decisions/0070-pdfs-in-words.md). Awaited:
 * they come behind the hold, before any model is asked.
 */
export type DocumentWords =
  | { readonly type: 'blocks'; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | {
      readonly type: 'awaited';
      /** An engine outside reads it, for money. */
      readonly isScan: boolean;
      /** Nobody is to have the file itself. */
      readonly isForAll: boolean;
      /** Absent: nobody has counted them, for the file is still to be fetched. */
      readonly pages?: number;
    };

export interface DocumentBlock extends Block {
  readonly type: 'document';
  readonly source: DocumentSource;
  readonly inWords?: DocumentWords;
  readonly title?: string;
  readonly context?: string;
  readonly wantsCitations?: boolean;
}

export interface AudioBlock extends Block {
  readonly type: 'audio';
  readonly format: string;
  readonly data: string;
}

export interface VideoBlock extends Block {
  readonly type: 'video';
  readonly source: MediaSource;
}

export interface SearchResultBlock extends Block {
  readonly type: 'search-result';
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextBlock[];
  readonly wantsCitations?: boolean;
}

/** Names a tool whose definition was deferred; only inside tool results. */
export interface ToolReferenceBlock extends Block {
  readonly type: 'tool-reference';
  readonly toolName: string;
}

export interface ToolUseBlock extends Block {
  readonly type: 'tool-use';
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON, in the caller's own text where it gave text. */
  readonly input: Json | undefined;
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | ToolReferenceBlock;

export interface ToolResultBlock extends Block {
  readonly type: 'tool-result';
  readonly toolUseId: string;
  readonly content: readonly ToolResultContent[];
  readonly isError?: boolean;
  /** Of a tool of the gateway's, in an earlier turn: the pages that it stands on. Models are not told of them. */
  readonly sources?: readonly WebCitation[];
}

/** Reasoning. The signature is valid only at the family that made it. */
export interface ThinkingBlock extends Block {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
  readonly mark?: ReasoningMark;
}

export interface RedactedThinkingBlock extends Block {
  readonly type: 'redacted-thinking';
  readonly data: string;
  readonly mark?: ReasoningMark;
}

/**
 * A block only its own vendor understands (server tools and their results, compaction,
 * containers). `value.type` names it.
 */
export interface OpaqueBlock extends Block {
  readonly type: 'opaque';
  readonly opaque: Opaque;
}

export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | AudioBlock
  | VideoBlock
  | SearchResultBlock
  | ToolUseBlock
  | ToolResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | OpaqueBlock;

/** One turn. System turns keep their place among the others. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly ContentBlock[];
  readonly origin?: Origin;
  /** Where each block stands in what the caller wrote, where the turn was put together from several messages. */
  readonly paths?: readonly string[];
}

/** The block as errors name it. @param index of the turn in the request */
export const blockPath = ({ paths }: Message, index: number, place: number): string =>
  paths?.[place] ?? `messages.${index}.content.${place}`;
