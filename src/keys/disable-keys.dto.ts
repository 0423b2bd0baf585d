import { Closed } from '../shared/http/closed.decorator.js';
import { shortText } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';

/** Body of `POST /keys/disable` (docs/operate/keys.md#administration). */
@Closed()
export class DisableKeysDto {
  /** All keys made for this user. */
  @Fits(shortText)
  creator_user_id!: string;
}
