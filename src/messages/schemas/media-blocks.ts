import {
  either,
  flag,
  list,
  literal,
  named,
  nullable,
  object,
  oneOf,
  optional,
  text,
  variant,
} from '../../shared/http/schema.js';
import { marked } from '../../inference/schemas/cache-control.js';
import { citations } from './citations.js';

/*
 * Fields of the blocks, by block type (docs/wire/content-blocks.md#blocks-of-a-request).
 */

export const textFields = { text: text(), citations: optional(nullable(citations)), ...marked };

/** A text block where nothing else may stand. */
export const textBlock = named('text-block', object({ type: literal('text'), ...textFields }));

export const imageFields = {
  source: named(
    'image-source',
    variant('type', {
      base64: { media_type: oneOf(['image/jpeg', 'image/png', 'image/gif', 'image/webp']), data: text() },
      url: { url: text() },
    }),
  ),
  ...marked,
};

const citationsWanted = object({ enabled: optional(flag()) });

export const documentFields = {
  source: named(
    'document-source',
    variant('type', {
      base64: { media_type: literal('application/pdf'), data: text() },
      text: { media_type: literal('text/plain'), data: text() },
      content: { content: either(text(), list(variant('type', { text: textFields, image: imageFields }))) },
      url: { url: text() },
      file: { file_id: text() },
    }),
  ),
  title: optional(nullable(text())),
  context: optional(nullable(text())),
  citations: optional(nullable(citationsWanted)),
  ...marked,
};

export const searchResultFields = {
  source: text(),
  title: text(),
  content: list(textBlock),
  citations: optional(citationsWanted),
  ...marked,
};

export const toolReferenceFields = { tool_name: text(), ...marked };
