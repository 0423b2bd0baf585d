import { modelText, wholeNumber } from '../../../shared/http/maxima.js';
import { either, object, optional, text, type Static } from '../../../shared/http/schema.js';
import { inputList } from '../../common/schemas/task-inputs.js';

export const query = text({ min: 1 });

/** A text, or a text, a picture or both: an address or a data URL. */
export const documents = inputList(
  either(text({ min: 1 }), object({ text: optional(text({ min: 1 })), image: optional(modelText()) })),
);
export type WireDocument = Static<typeof documents>[number];

export const topN = wholeNumber({ min: 1 });
