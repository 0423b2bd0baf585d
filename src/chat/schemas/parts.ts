import { list, named, object, oneOf, optional, text, variant, type Static } from '../../shared/http/schema.js';
import { marked } from '../../inference/schemas/cache-control.js';

/*
 * The parts of a message's content (docs/wire/chat.md#messages-and-parts).
 */

const url = { url: text() };

export const textFields = { text: text(), ...marked };

const imageFields = {
  image_url: object({ ...url, detail: optional(oneOf(['auto', 'low', 'high', 'original'])) }),
  ...marked,
};

const fileFields = {
  file: object({ file_data: optional(text()), file_id: optional(text()), filename: optional(text()) }),
  ...marked,
};

const videoFields = { video_url: object(url), ...marked };

/** What a user may say. `input_video` is the older spelling. */
export const userPart = named(
  'chat-user-part',
  variant('type', {
    text: textFields,
    image_url: imageFields,
    input_audio: { input_audio: object({ data: text(), format: text() }), ...marked },
    video_url: videoFields,
    input_video: videoFields,
    file: fileFields,
  }),
);

/** What a tool may answer. */
export const toolPart = named(
  'chat-tool-part',
  variant('type', { text: textFields, image_url: imageFields, file: fileFields }),
);

/** What the model has said. */
export const assistantPart = named(
  'chat-assistant-part',
  variant('type', { text: textFields, refusal: { refusal: text() } }),
);

export const textPart = named('chat-text-part', variant('type', { text: textFields }));

/** A picture that the model has made. */
export const assistantImages = list(variant('type', { image_url: imageFields }));

export type WirePart = Static<typeof userPart>;
export type WireToolPart = Static<typeof toolPart>;
