import { Fits } from '../shared/http/fits.decorator.js';
import { compile, text } from '../shared/http/schema.js';

// Any text but none: what is no id of ours is simply unknown, as WIRE 2.6 has it (404, no 400).
const generationId = compile(text({ min: 1 }));

/** Query of `GET /generation`. Parameters beyond it are ignored (WIRE 0.3). */
export class GenerationQueryDto {
  @Fits(generationId)
  id!: string;
}
