import type { Json, JsonObject, Opaque, Vendor } from '../json/json.js';
import type { ReasoningMark } from './reasoning-mark.js';
import type { WebCitation } from './web-citation.js';

/** Marks the end of a prefix that the provider should cache. */
export interface CacheMarker {
  /** Absent: the provider's default, five minutes. */
  readonly ttl?: '5m' | '1h';
  /** The scope in which the cache is shared, unchanged from the request. Some platforms do not accept it. */
  readonly scope?: Json;
}

/**
 * The wire object that a value was read from. A dialect of the same vendor prints it unchanged, so that nothing is lost
 * and equal prefixes stay equal bytes. Code that changes the value makes a new one without it.
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
  /**
   * The part of the model's work, in its vendor's word (`commentary`, `final_answer`), which the vendor requires back.
   */
  readonly phase?: string;
  /** Allows the text to be shortened where the prompt does not fit: the UTF-16 units that remain at both ends. */
  readonly keeps?: { readonly start: number; readonly end: number };
}

/** Base64 data of the request, which is never decoded, or a URL of the caller. */
export type MediaSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

export interface ImageBlock extends Block {
  readonly type: 'image';
  readonly source: MediaSource;
  /** Whether the image is part of a file converted to text: a model without image input receives a note instead. */
  readonly isOfFile?: true;
  /** The resolution, where the vendor supports it: `auto`, `low`, `high`, `original`. */
  readonly detail?: string;
}

export type DocumentSource =
  | MediaSource
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'blocks'; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | { readonly type: 'file'; readonly fileId: string };

/**
 * The text of a file, beside the file itself, for models that accept no files
 * (docs/contribute/decisions/0064-the-way-of-plugins.md). Awaited: it is read after the hold, before any model is
 * called.
 */
export type DocumentWords =
  | { readonly type: 'blocks'; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | {
      readonly type: 'awaited';
      /** An external engine reads it, for money. */
      readonly isScan: boolean;
      /** Whether every model receives the text in place of the file. */
      readonly isForAll: boolean;
      /** Absent: not counted, because the file is still to be fetched. */
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
  /** The arguments as JSON, in the caller's own text where it sent text. */
  readonly input: Json | undefined;
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | ToolReferenceBlock;

export interface ToolResultBlock extends Block {
  readonly type: 'tool-result';
  readonly toolUseId: string;
  readonly content: readonly ToolResultContent[];
  readonly isError?: boolean;
  /** Pages that a result of a gateway tool in an earlier turn is based on. They are not sent to models. */
  readonly sources?: readonly WebCitation[];
}

/** Reasoning. The signature is valid only for the model family that made it. */
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
 * A block that only its own vendor understands (server tools and their results, compaction, containers). `value.type`
 * names it.
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

/** One turn. System turns keep their position among the others. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly ContentBlock[];
  readonly origin?: Origin;
  /** Fields of the turn that core does not model; absent: none. */
  readonly extras?: Opaque;
  /** The original path of each block, where the turn was joined from several messages. */
  readonly paths?: readonly string[];
}

/** The path of the block in errors. @param index of the turn in the request */
export const blockPath = ({ paths }: Message, index: number, blockIndex: number): string =>
  paths?.[blockIndex] ?? `messages.${index}.content.${blockIndex}`;
