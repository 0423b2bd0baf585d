import { named, object, oneOf, optional, variant, type Static } from '../../shared/http/schema.js';
import { contentList, id, modelText, name, word } from '../../shared/http/bounds.js';
import { marked } from '../../inference/schemas/cache-control.js';

/*
 * The parts of a message's content (docs/wire/chat.md#messages-and-parts).
 */

/** Media in base64, too. */
const url = { url: modelText() };

export const textFields = { text: modelText(), ...marked };

const imageFields = {
  image_url: object({ ...url, detail: optional(oneOf(['auto', 'low', 'high', 'original'])) }),
  ...marked,
};

const fileFields = {
  file: object({ file_data: optional(modelText()), file_id: optional(id()), filename: optional(name()) }),
  ...marked,
};

const videoFields = { video_url: object(url), ...marked };

/** What a user may say. `input_video` is the older spelling. */
export const userPart = named(
  'chat-user-part',
  variant('type', {
    text: textFields,
    image_url: imageFields,
    input_audio: { input_audio: object({ data: modelText(), format: word() }), ...marked },
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
  variant('type', { text: textFields, refusal: { refusal: modelText() } }),
);

export const textPart = named('chat-text-part', variant('type', { text: textFields }));

/** A picture that the model has made. */
export const assistantImages = contentList(variant('type', { image_url: imageFields }));

export type WirePart = Static<typeof userPart>;
export type WireToolPart = Static<typeof toolPart>;
