import {
  anything,
  either,
  flag,
  literal,
  named,
  nullable,
  object,
  oneOf,
  optional,
  variant,
} from '../../../shared/http/schema.js';
import { address, contentList, id, modelText, name } from '../../../shared/http/maxima.js';
import { marked } from '../../common/schemas/cache-control.js';
import { citations } from './citations.js';

/* Fields of the blocks, by block type (docs/use/content-blocks.md#blocks-of-a-request). */

export const textFields = {
  text: modelText(),
  citations: optional(nullable(citations)),
  // A member of replies of another format.
  phase: optional(anything()),
  ...marked,
};

/** A text block where only text is allowed. */
export const textBlock = named('text-block', object({ type: literal('text'), ...textFields }));

/** `image/jpg` is what programs call `image/jpeg`. */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/jpg'] as const;

export const imageFields = {
  source: named(
    'image-source',
    variant('type', {
      base64: { media_type: oneOf(IMAGE_TYPES), data: modelText() },
      url: { url: address() },
    }),
  ),
  ...marked,
};

const citationsWanted = object({ enabled: optional(flag()) });

export const documentFields = {
  source: named(
    'document-source',
    variant('type', {
      base64: { media_type: literal('application/pdf'), data: modelText() },
      text: { media_type: literal('text/plain'), data: modelText() },
      content: { content: either(modelText(), contentList(variant('type', { text: textFields, image: imageFields }))) },
      url: { url: address() },
      file: { file_id: id() },
    }),
  ),
  title: optional(nullable(modelText())),
  context: optional(nullable(modelText())),
  citations: optional(nullable(citationsWanted)),
  ...marked,
};

export const searchResultFields = {
  source: modelText(),
  title: modelText(),
  content: contentList(textBlock),
  citations: optional(citationsWanted),
  ...marked,
};

export const toolReferenceFields = { tool_name: name(), ...marked };
