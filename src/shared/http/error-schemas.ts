import { Type } from '@sinclair/typebox';
import type { ErrorFamily } from './error-views.js';
import { freeForm, integer, literal, nullable, object, optional, text, type TSchema } from './schema.js';

/*
 * The error bodies that `error-views.ts` makes, as the description tells them.
 */

const errorFields = {
  code: integer(),
  message: text(),
  /** Why a model cannot be had. */
  availability: optional(freeForm()),
  metadata: optional(freeForm()),
};

/** Of how the request was routed, where the caller asked for it. */
const routed = { router_metadata: optional(freeForm()), openrouter_metadata: optional(freeForm()) };

/** The finer word, and what else there is to tell. */
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
