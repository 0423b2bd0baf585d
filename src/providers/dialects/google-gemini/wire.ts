import type { Base64Text } from '../../../core/json/base64-text.js';
import type { Json, JsonObject } from '../../../core/json/json.js';

/** Bytes of an image, a document or audio. */
export interface InlineData {
  readonly mimeType: string;
  readonly data: string | Base64Text;
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response: JsonObject;
  readonly parts?: readonly { readonly inlineData: InlineData }[];
}

/** A part of a turn that the gateway writes. */
export type Part = (
  | { readonly text: string; readonly thought?: true }
  | { readonly inlineData: InlineData }
  | { readonly fileData: { readonly mimeType?: string; readonly fileUri: string } }
  | { readonly functionCall: { readonly id?: string; readonly name: string; readonly args: JsonObject } }
  | { readonly functionResponse: FunctionResponse }
) & { thoughtSignature?: string };

/** A part that the model made and that returns unchanged. */
export type OwnPart = JsonObject;

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: (Part | OwnPart)[];
}

/** The body of a request. Fields are always added in one order, so that equal requests give equal bytes. */
export type GeminiBody = Record<string, Json | readonly Content[] | undefined>;
