import { nullable, openObject, optional, type Static } from '../../../shared/http/schema.js';
import { contentList, modelText, name, word } from '../../../shared/http/maxima.js';

const part = openObject({
  type: word(),
  text: optional(modelText()),
  image_url: optional(openObject({ url: modelText() })),
});

/** Files as text from earlier replies, sent back. Citations among them are ignored here. */
export const fileAnnotations = optional(
  nullable(
    contentList(
      openObject({
        type: word(),
        file: optional(
          openObject({ hash: name(), name: optional(nullable(name())), content: optional(contentList(part)) }),
        ),
      }),
    ),
  ),
);

export type WireAnnotations = Static<typeof fileAnnotations>;
