import {
  anything,
  named,
  nullable,
  object,
  oneOf,
  optional,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { id, modelText, name, word } from '../../../shared/http/maxima.js';

/* The parts of an item's content (docs/use/responses.md#input-items). */

/** Marks the end of a prefix to cache; the gateway's own markers are in `cache_control`. */
const breakpoint = { prompt_cache_breakpoint: optional(anything()) };

const textFields = { text: modelText(), ...breakpoint };
const imageFields = {
  image_url: optional(nullable(modelText())),
  file_id: optional(nullable(id())),
  detail: optional(nullable(oneOf(['auto', 'low', 'high', 'original']))),
  ...breakpoint,
};
const fileFields = {
  file_data: optional(nullable(modelText())),
  file_id: optional(nullable(id())),
  file_url: optional(nullable(modelText())),
  filename: optional(nullable(name())),
  ...breakpoint,
};

/** Parts of a message. Those of the model's own messages come back as `output_text` and `refusal`. */
export const messagePart = named(
  'responses-part',
  variant('type', {
    input_text: textFields,
    input_image: imageFields,
    input_file: fileFields,
    input_audio: { input_audio: object({ data: modelText(), format: word() }) },
    input_video: { video_url: modelText() },
    output_text: { ...textFields, annotations: optional(anything()), logprobs: optional(anything()) },
    refusal: { refusal: modelText() },
  }),
);

/** Parts of the output of a tool. */
export const outputPart = named(
  'responses-output-part',
  variant('type', { input_text: textFields, input_image: imageFields, input_file: fileFields }),
);

export type WirePart = Static<typeof messagePart>;
export type WireOutputPart = Static<typeof outputPart>;
