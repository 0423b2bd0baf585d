import { nullable, object, optional, type Static } from '../../shared/http/schema.js';
import { contentList, modelText, name, word } from '../../shared/http/bounds.js';

const part = object({
  type: word(),
  text: optional(modelText()),
  image_url: optional(object({ url: modelText() })),
});

/** Files in words that a reply told, handed back. Citations of it that stand beside them say nothing here. */
export const fileAnnotations = optional(
  nullable(
    contentList(
      object({
        type: word(),
        file: optional(
          object({ hash: name(), name: optional(nullable(name())), content: optional(contentList(part)) }),
        ),
      }),
    ),
  ),
);

export type WireAnnotations = Static<typeof fileAnnotations>;
