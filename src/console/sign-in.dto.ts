import { Closed } from '../shared/http/closed.decorator.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, text } from '../shared/http/schema.js';

/** Characters of a key. Chosen: far more than any has. */
const KEY_MAX = 1024;
/** Characters of the parameters of an issuer's answer. The body has more, with all else. */
const ANSWER_MAX = 3_500;

const key = compile(text({ min: 1, max: KEY_MAX }));
const link = compile(text({ pattern: '^[A-Za-z0-9_-]{43}$', reason: 'must be the token of a link for signing in' }));
const answer = compile(text({ min: 1, max: ANSWER_MAX }));
const address = compile(
  text({ max: 500, pattern: '^https?://[^?#@]+/console/oidc$', reason: 'must be the address of /console/oidc' }),
);

/** Body of `POST /console/session`: one of `key`, `link` and `answer`. */
@Closed()
export class SignInDto {
  @MayOmit()
  @Fits(key)
  key?: string;

  /** Token of a link that the gateway has printed. */
  @MayOmit()
  @Fits(link)
  link?: string;

  /** The parameters that an issuer added to `address`, as they were. */
  @MayOmit()
  @Fits(answer)
  answer?: string;

  @MayOmit()
  @Fits(address)
  address?: string;
}

/** Body of `POST /console/oidc`. */
@Closed()
export class SignOnDto {
  /** The address to which the issuer redirects the browser. The page knows it, also behind a proxy. */
  @Fits(address)
  address!: string;
}
