import type { Json, JsonObject } from '../../../core/json/json.js';

/** One part of a message's content. */
export type CoherePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } };

export interface CohereToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type CohereContent = string | readonly CoherePart[];

export type CohereMessage =
  | { readonly role: 'system' | 'user'; readonly content: CohereContent }
  | {
      readonly role: 'assistant';
      readonly content?: CohereContent;
      readonly tool_plan?: string;
      readonly tool_calls?: readonly CohereToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A source for the answer, which it may cite. */
export interface CohereDocument {
  readonly id: string;
  /** Texts by any name; Cohere's guides use `text`, `title`, `url`. */
  readonly data: Readonly<Record<string, string>>;
}

export interface CohereToolFields {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: 'REQUIRED' | 'NONE';
  readonly strict_tools?: true;
}

/** The body of a call. Fields are always added in one order, so that equal requests give equal bytes. */
export type CohereBody = Record<
  string,
  Json | undefined | readonly CohereMessage[] | readonly CohereDocument[] | readonly JsonObject[]
>;
