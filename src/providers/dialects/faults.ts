import { ProviderFault, type FaultDetail, type FaultKind } from '../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { UpstreamFailure } from '../../core/provider.js';
import { DAY_MS } from '../../core/time.js';

/** Maximum number of characters of a provider's message that are passed on. */
export const FAULT_MESSAGE_MAX = 500;
/** Maximum number of characters of a provider's error code that are kept: codes are short. */
const CODE_MAX = 100;
/** A longer wait than a day is ignored: it would exceed every limit here. */
const RETRY_AFTER_MS_MAX = DAY_MS;

const KIND_OF_STATUS: Readonly<Record<number, FaultKind>> = {
  400: 'rejected-request',
  401: 'refused-credential',
  402: 'payment-required',
  403: 'refused-credential',
  404: 'not-found',
  408: 'timed-out',
  413: 'too-large',
  422: 'rejected-request',
  429: 'rate-limited',
  503: 'unavailable',
  504: 'timed-out',
  529: 'overloaded',
};

/** The kind of fault for a status other than 2xx, whatever the dialect. */
export function faultKindOfStatus(status: number): FaultKind {
  return KIND_OF_STATUS[status] ?? 'server-error';
}

/**
 * Sentences by which vendors give a more exact cause than their 400 or 403. They must begin the message, because a
 * caller's own text may follow. Anthropic (github.com/anthropics/claude-code/issues/4684), xAI in the responses format
 * and in its 403 (github.com/Anantys-oss/koan/issues/2412); OpenAI uses the code `insufficient_quota` with any status.
 */
const KIND_OF_SENTENCE: readonly (readonly [RegExp, FaultKind])[] = [
  [/^your credit balance is too low\b/i, 'payment-required'],
  [/^your team (?:[\w-]+ )?has either used all available credits\b/i, 'payment-required'],
  [/^incorrect api key provided\b/i, 'refused-credential'],
];

function kindOfRefusal(status: number, message = '', providerCode: string | undefined): FaultKind {
  const byStatus = faultKindOfStatus(status);
  if (byStatus !== 'rejected-request' && byStatus !== 'refused-credential') return byStatus;
  if (providerCode === 'insufficient_quota') return 'payment-required';
  return KIND_OF_SENTENCE.find(([sentence]) => sentence.test(message))?.[1] ?? byStatus;
}

/**
 * The fault of a call that failed with a status other than 2xx.
 * @param message the provider's message; it is bounded and cleaned here
 * @param providerCode the provider's own name of the failure
 * @param kind the kind, where that name is more exact than the status; else status and message decide
 * @param bodyWaitMs the wait that the body requests; the headers have priority
 */
export function faultFromStatus(
  failure: UpstreamFailure,
  message: string | undefined,
  providerCode: string | undefined,
  kind = kindOfRefusal(failure.status, message, providerCode),
  bodyWaitMs?: number,
): ProviderFault {
  const wait = retryAfterMs(failure.headers) ?? (bodyWaitMs === undefined ? undefined : bounded(bodyWaitMs));
  const words = message === undefined ? '' : safeMessage(message);
  return new ProviderFault(kind, words === '' ? `The provider answered with status ${failure.status}.` : words, {
    status: failure.status,
    ...(providerCode !== undefined && { providerCode: safeCode(providerCode) }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/**
 * An error in the middle of a reply, or instead of one.
 * @param message the provider's message; it is bounded and cleaned here
 * @param detail `providerCode` as the provider gives it; it is cleaned here too
 * @param otherwise the message where the provider gives none
 */
export function inBandFault(
  kind: FaultKind,
  message: string | undefined,
  { providerCode, ...detail }: FaultDetail = {},
  otherwise = 'The provider failed while it answered.',
): ProviderFault {
  const words = message === undefined ? '' : safeMessage(message);
  return new ProviderFault(kind, words === '' ? otherwise : words, {
    ...detail,
    ...(providerCode !== undefined && { providerCode: safeCode(providerCode) }),
  });
}

/** The content of a failure's body: a JSON object, or text. */
export interface FailureBody {
  readonly json: JsonObject;
  readonly words?: string;
}

const NO_BODY: FailureBody = { json: {} };

/**
 * Reads the body of a failure of any kind. A proxy's page and JSON that was cut at the read limit count as empty. Some
 * providers send a list for one error, or for a stream that fails at once: then the first entry counts.
 */
export function readFailureBody(text: string): FailureBody {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('<')) return NO_BODY;
  let body: Json;
  try {
    body = JSON.parse(trimmed) as Json;
  } catch {
    return trimmed.startsWith('{') || trimmed.startsWith('[') ? NO_BODY : { json: {}, words: trimmed };
  }
  const first = Array.isArray(body) ? (body as readonly Json[])[0] : body;
  if (typeof first === 'string') return { json: {}, words: first };
  return isJsonObject(first) ? { json: first } : NO_BODY;
}

/**
 * The wait that the provider requests, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as an HTTP
 * date.
 * @param headers lower-case names
 * @returns undefined when there is none that can be read; 0 for a date in the past
 */
export function retryAfterMs(headers: UpstreamFailure['headers'], nowMs: number = Date.now()): number | undefined {
  const exact = decimal(first(headers['retry-after-ms']));
  if (exact !== undefined) return bounded(exact);
  const text = first(headers['retry-after']);
  const seconds = decimal(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // Only a date begins with a letter; Date.parse would also read "-5" as a year.
  if (text === undefined || !/^[A-Za-z]{3}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : bounded(at - nowMs);
}

/**
 * A provider's message, safe for a caller: no control characters, no addresses (they may contain a key), no keys, at
 * most `FAULT_MESSAGE_MAX` characters.
 */
export function safeMessage(text: string): string {
  // Cut before the patterns run, which bounds their time. Twice the limit allows for what they remove.
  const head = text.slice(0, 2 * FAULT_MESSAGE_MAX);
  const clean = head
    // oxlint-disable-next-line no-control-regex -- these are the characters to remove
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/\b[a-z][a-z0-9+.-]{0,19}:\/\/[^\s"'<>)\]]*/gi, '[address]')
    .replace(/\bbearer\s+[\w.~+/=-]{16,}/gi, '[credential]')
    .replace(/\b(?:(?:sk|pk|rk|gsk|xai|fw|csk|tgp)[-_]|AIza)[\w*.-]{8,}/gi, '[credential]')
    // Keys of providers without a separate prefix: partly masked with asterisks, or letters and digits without a
    // break.
    .replace(/[\w-]*\*{3,}[\w*-]*/g, '[credential]')
    .replace(/\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{32,}\b/gi, '[credential]')
    .trim();
  return clean.length <= FAULT_MESSAGE_MAX ? clean : `${wholeCharacters(clean, FAULT_MESSAGE_MAX - 1)}…`;
}

/** A provider's error code, safe for a caller: cleaned like a message, and bounded like a name. */
export function safeCode(code: string): string {
  return safeMessage(code.slice(0, CODE_MAX));
}

/** The first `length` UTF-16 units, without a high surrogate whose other half is cut off. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function first(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), RETRY_AFTER_MS_MAX);
}
