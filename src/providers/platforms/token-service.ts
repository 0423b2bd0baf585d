import { Cancellation } from '../../core/cancellation.js';
import { ProviderFault, type FaultKind } from '../../core/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../core/json/json.js';
import { DAY_MS } from '../../core/time.js';
import type { GuardedAddress } from '../../core/platform.js';
import type { Transport } from '../transport.js';
import type { AccessToken } from './access-tokens.js';

/** Of one exchange. Chosen: token services answer within a second, and who waits for one may have others to try. */
export const TOKEN_MS_MAX = 15_000;
const CONNECT_MS_MAX = 5_000;
const REPLY_BYTES_MAX = 64 * 1024;
/** An error's own name; nothing else of an answer is told. */
const WORD = /^[\w.-]{1,60}$/;

/** Clouds give tokens for an hour, some for a day: what is said to hold for longer is fetched anew all the same. */
const LIFETIME_MS_MAX = DAY_MS;

const REFUSED: readonly number[] = [400, 401, 403];

/** One request to a token service. */
export interface Exchange {
  readonly address: string | GuardedAddress;
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The text a token service answers with. Nothing of what was sent, and of the answer's words only the name of its
 * error, is told.
 * @throws ProviderFault
 */
export async function askTokenService(transport: Pick<Transport, 'open'>, exchange: Exchange): Promise<string> {
  const { address, method, headers, body } = exchange;
  const { url, isGuarded } = typeof address === 'string' ? { url: address, isGuarded: undefined } : address;
  const signal = new Cancellation();
  const timer = setTimeout(() => {
    signal.abort(new ProviderFault('timed-out', "The credential's token service did not answer in time."));
  }, TOKEN_MS_MAX);
  try {
    const response = await transport.open(
      {
        url,
        ...(isGuarded && { isGuarded }),
        ...(method && { method }),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'fairlead/1.0',
          ...headers,
        },
        body,
        stream: false,
        connectTimeoutMs: CONNECT_MS_MAX,
        idleTimeoutMs: TOKEN_MS_MAX,
      },
      signal,
    );
    const text = (await response.read(REPLY_BYTES_MAX)).toString('utf8');
    if (response.status >= 200 && response.status < 300) return text;
    throw refusal(response.status, text, `${body} ${Object.values(headers).join(' ')}`);
  } catch (error) {
    throw asTokenFault(error);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws ProviderFault `malformed-reply` where the text is no JSON object */
export function readTokenReply(text: string): JsonObject {
  const value = parsed(text);
  if (value === undefined) throw new ProviderFault('malformed-reply', "The credential's token service sent no JSON.");
  return value;
}

/** A form, as OAuth wants it. */
export const form = (fields: Readonly<Record<string, string>>): Pick<Exchange, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/**
 * The token of an OAuth reply, and how long it holds.
 * @throws ProviderFault `malformed-reply`
 */
export function readOauthToken(text: string, askedAtMs: number): AccessToken {
  const { access_token: token, expires_in: seconds } = readTokenReply(text);
  // Some services write the number as a text.
  const lifetimeS = typeof seconds === 'string' || typeof seconds === 'number' ? Number(seconds) : NaN;
  return liveToken(token, askedAtMs, askedAtMs + lifetimeS * 1_000);
}

/**
 * A token that can be sent and still holds.
 * @throws ProviderFault `malformed-reply`
 */
export function liveToken(text: unknown, askedAtMs: number, expiresAtMs: number): AccessToken {
  if (!isHeaderSafe(text) || !(expiresAtMs > askedAtMs)) {
    throw new ProviderFault('malformed-reply', "The credential's token service sent no token.");
  }
  return { text, expiresAtMs: Math.min(expiresAtMs, askedAtMs + LIFETIME_MS_MAX) };
}

export const isHeaderSafe = (token: unknown): token is string =>
  typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);

/** @param sent what may be secret: a service that repeats it in the place of a word is not quoted */
function refusal(status: number, text: string, sent: string): ProviderFault {
  const error = parsed(text)?.['error'];
  const word = isJsonObject(error) ? error['status'] : error;
  const named = typeof word === 'string' && WORD.test(word) && !sent.includes(word) ? `: ${word}` : '';
  const kind: FaultKind = REFUSED.includes(status)
    ? 'refused-credential'
    : status === 429
      ? 'rate-limited'
      : 'unavailable';
  return new ProviderFault(kind, `The credential's token service answered with status ${status}${named}.`, { status });
}

/** What goes wrong on the way is told as what it is: not the provider, but who gives its tokens. */
function asTokenFault(error: unknown): unknown {
  if (!(error instanceof ProviderFault) || error.message.includes('token service')) return error;
  return new ProviderFault(
    error.kind,
    `The credential's token service could not be used: ${error.message}`,
    error.detail,
    { cause: error },
  );
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
