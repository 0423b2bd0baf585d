import { Cancellation } from '../../core/cancellation.js';
import { ProviderFault, type FaultKind } from '../../core/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../core/json/json.js';
import { DAY_MS } from '../../core/time.js';
import type { GuardedAddress } from '../../core/platform.js';
import type { Transport } from '../transport/transport.js';
import type { AccessToken } from './access-tokens.js';

/**
 * Time limit of one exchange. Chosen: token services answer within a second, and routing may have other endpoints to
 * try.
 */
export const TOKEN_MS_MAX = 15_000;
const CONNECT_MS_MAX = 5_000;
const REPLY_BYTES_MAX = 64 * 1024;
/** The name of an OAuth error; no other part of an answer is reported. */
const WORD = /^[\w.-]{1,60}$/;

/** Clouds issue tokens for an hour, some for a day; a longer lifetime is cut to this. */
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
 * The text of a token service's answer. Errors report nothing of what was sent, and of the answer only the name of its
 * error.
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

/** A form body, as OAuth requires. */
export const form = (fields: Readonly<Record<string, string>>): Pick<Exchange, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/**
 * The token of an OAuth reply, and its expiry.
 * @throws ProviderFault `malformed-reply`
 */
export function readOauthToken(text: string, requestedAtMs: number): AccessToken {
  const { access_token: token, expires_in: seconds } = readTokenReply(text);
  // Some services send the number as a text.
  const lifetimeS = typeof seconds === 'string' || typeof seconds === 'number' ? Number(seconds) : NaN;
  return liveToken(token, requestedAtMs, requestedAtMs + lifetimeS * 1_000);
}

/**
 * A token that a header can carry and that has not expired.
 * @throws ProviderFault `malformed-reply`
 */
export function liveToken(text: unknown, requestedAtMs: number, expiresAtMs: number): AccessToken {
  if (!isHeaderSafe(text) || !(expiresAtMs > requestedAtMs)) {
    throw new ProviderFault('malformed-reply', "The credential's token service sent no token.");
  }
  return { text, expiresAtMs: Math.min(expiresAtMs, requestedAtMs + LIFETIME_MS_MAX) };
}

export const isHeaderSafe = (token: unknown): token is string =>
  typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);

/** @param sent possibly secret: an error name that is part of it is not quoted */
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

/** Attributes a failed call to the token service, not to the provider. */
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
