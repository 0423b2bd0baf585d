import type { Base64Text } from '../../../core/json/base64-text.js';
import type { Json, JsonObject } from '../../../core/json/json.js';

/** One part of a user's message or of a tool's result. */
export type InputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail?: string }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string | Base64Text }
  | { readonly type: 'input_file'; readonly file_url: string };

/** Earlier output of the model. */
export interface OutputText {
  readonly type: 'output_text';
  readonly text: string;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[];
  readonly encrypted_content: string;
}

/** One item of `input`. The vendor's own items are sent back unchanged. */
export type InputItem =
  | {
      readonly type: 'message';
      readonly role: 'system' | 'developer' | 'user';
      readonly content: readonly InputPart[];
    }
  | {
      readonly type: 'message';
      readonly role: 'assistant';
      readonly content: readonly OutputText[];
      readonly phase?: string;
    }
  | ReasoningItem
  | { readonly type: 'function_call'; readonly call_id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'function_call_output' | 'custom_tool_call_output';
      readonly call_id: string;
      readonly output: string | readonly InputPart[];
    }
  | JsonObject;

/** The tool fields of a body. */
export interface ToolFields {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: Json;
  readonly parallel_tool_calls?: boolean;
}

/** The body of a call. Fields are always added in one order, so that equal requests give equal bytes. */
export type ResponsesBody = Record<string, Json | undefined | readonly InputItem[]>;
