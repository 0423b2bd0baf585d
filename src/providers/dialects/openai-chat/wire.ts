import type { Base64Text } from '../../../core/json/base64-text.js';
import type { Json, JsonObject } from '../../../core/json/json.js';

/** The marker that some chat providers take on parts and tools. */
export interface WireCacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

/** One part of a chat message. */
export type ChatPart = (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string | Base64Text } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }
) & { cache_control?: WireCacheControl };

export type ChatContent = string | ChatPart[];

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of a chat request. `name` distinguishes several speakers of one role. */
export type ChatMessage = { readonly name?: string } & (
  | { readonly role: 'system' | 'developer' | 'user'; content: ChatContent }
  | {
      readonly role: 'assistant';
      content: ChatContent | null;
      readonly reasoning_content?: string;
      readonly reasoning_details?: readonly JsonObject[];
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; content: ChatContent }
);

/** A function tool of a chat request. */
export interface ChatFunctionTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: JsonObject;
    readonly strict?: boolean;
  };
  readonly cache_control?: WireCacheControl;
}

/** A tool of a chat request; the format's vendor's own tools are sent unchanged. */
export type ChatTool = ChatFunctionTool | JsonObject;

export interface ChatToolFields {
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: Json;
  readonly parallel_tool_calls?: boolean;
}

/** The body of a chat request. Fields are always added in one order, so that equal requests give equal bytes. */
export type ChatBody = Record<string, Json | undefined | readonly ChatMessage[] | readonly ChatTool[]>;
