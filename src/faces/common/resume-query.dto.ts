import { STORABLE } from '../../shared/http/field-patterns.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, text } from '../../shared/http/schema.js';

/** More than the length of any id that the gateway makes. */
const ID_MAX = 1_000;

const generationId = compile(text({ min: 1, max: ID_MAX, ...STORABLE }));

/** Query of `GET /generation/stream`. */
export class ResumeQueryDto {
  /** Id of the generation: `X-Generation-Id` of its stream. */
  @Fits(generationId)
  id!: string;
}
