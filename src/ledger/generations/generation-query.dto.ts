import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, text } from '../../shared/http/schema.js';

/** Characters: an address has no more. */
const ADDRESS_MAX = 16_384;

// Any non-empty text. An id that the gateway did not make is unknown, as docs/use/charges.md#get-generation specifies
// (404, not 400).
const generationId = compile(text({ min: 1, max: ADDRESS_MAX }));

/** Query of `GET /generation`. */
export class GenerationQueryDto {
  /** Id of the generation, or of its request. */
  @Fits(generationId)
  id!: string;
}
