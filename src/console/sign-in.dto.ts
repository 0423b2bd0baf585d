import { Closed } from '../shared/http/closed.decorator.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, text } from '../shared/http/schema.js';

/** Characters of a key. Chosen: far more than any has. */
const KEY_MAX = 1024;

const key = compile(text({ min: 1, max: KEY_MAX }));
const link = compile(text({ pattern: '^[A-Za-z0-9_-]{43}$', reason: 'must be the token of a link for signing in' }));

/** Body of `POST /console/session`: one of both. */
@Closed()
export class SignInDto {
  @MayOmit()
  @Fits(key)
  key?: string;

  /** Of a link that the gateway has printed. */
  @MayOmit()
  @Fits(link)
  link?: string;
}
