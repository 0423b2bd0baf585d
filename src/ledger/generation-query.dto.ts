import { Fits } from '../shared/http/fits.decorator.js';
import { compile, text } from '../shared/http/schema.js';

/** Characters: an address has no more. */
const ADDRESS_MAX = 16_384;

// Any text but none: what is no id of ours is simply unknown, as
// docs/wire/accounting.md#get-generation has it (404, no 400).
const generationId = compile(text({ min: 1, max: ADDRESS_MAX }));

/** Query of `GET /generation`. */
export class GenerationQueryDto {
  /** Of the generation, or of its request. */
  @Fits(generationId)
  id!: string;
}
