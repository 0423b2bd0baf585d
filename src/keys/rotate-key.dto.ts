import { Closed } from '../shared/http/closed.decorator.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { graceSeconds } from './key-fields.js';

/** Body of `POST /keys/{hash}/rotate` (docs/operate/keys.md#rotation). */
@Closed()
export class RotateKeyDto {
  @Fits(graceSeconds)
  grace_seconds!: number;
}
