import { anything, named, object, oneOf, optional, variant, type Static } from '../../../shared/http/schema.js';
import { contentList, id, modelText, name, word } from '../../../shared/http/maxima.js';
import { marked } from '../../common/schemas/cache-control.js';

/* The parts of a message's content (docs/use/chat.md#messages-and-parts). */

/** An address, or media in base64. */
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

/** Parts of a user's message. `input_video` is the older spelling. */
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

/** Parts of a tool's result. */
export const toolPart = named(
  'chat-tool-part',
  variant('type', { text: textFields, image_url: imageFields, file: fileFields }),
);

/** Parts of an assistant message. */
export const assistantPart = named(
  'chat-assistant-part',
  variant('type', { text: textFields, refusal: { refusal: modelText() } }),
);

export const textPart = named('chat-text-part', variant('type', { text: textFields }));

/** Images that the model made; replies state the index of each in the list. */
export const assistantImages = contentList(
  variant('type', { image_url: { ...imageFields, index: optional(anything()) } }),
);

export type WirePart = Static<typeof userPart>;
export type WireToolPart = Static<typeof toolPart>;
