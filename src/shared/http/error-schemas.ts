import { Type } from '@sinclair/typebox';
import type { ErrorFamily } from './error-views.js';
import { freeForm, integer, literal, nullable, object, optional, text, type TSchema } from './schema.js';

/* The error bodies of `error-views.ts`, for the API description. */

const errorFields = {
  code: integer(),
  message: text(),
  /** Why a model is unavailable. */
  availability: optional(freeForm()),
  /** The fields that the vendor's clients act on. */
  details: optional(freeForm()),
  metadata: optional(freeForm()),
};

/** The routing metadata of the request, where the caller requested them. */
const routed = { router_metadata: optional(freeForm()), openrouter_metadata: optional(freeForm()) };

/** The error type, and further fields. */
const chatMetadata = Type.Object({ error_type: text() }, { additionalProperties: true });

const genericError = object({ error: object(errorFields), ...routed });

/** One form per family. */
export const ERROR_SCHEMAS: Readonly<Record<ErrorFamily, { readonly name: string; readonly schema: TSchema }>> = {
  messages: {
    name: 'messages-error',
    schema: object({
      type: literal('error'),
      error: object({ type: text(), error_type: text(), ...errorFields }),
      request_id: nullable(text()),
      ...routed,
    }),
  },
  chat: {
    name: 'chat-error',
    schema: object({
      error: object({ ...errorFields, metadata: chatMetadata }),
      ...routed,
    }),
  },
  generic: { name: 'error', schema: genericError },
};
