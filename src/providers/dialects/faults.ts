import { ProviderFault, type FaultDetail, type FaultKind } from '../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { UpstreamFailure } from '../../core/provider.js';
import { DAY_MS } from '../../core/time.js';

/** Most characters of a provider's own words that are passed on. */
export const FAULT_MESSAGE_MAX = 500;
/** Most characters of a provider's error code that are kept: codes are words, not texts. */
const CODE_MAX = 100;
/** A provider that asks for more than a day is not believed: the wait would outlive every limit here. */
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

/** What a status other than 2xx says about an attempt, whatever the dialect. */
export function faultKindOfStatus(status: number): FaultKind {
  return KIND_OF_STATUS[status] ?? 'server-error';
}

/**
 * Sentences by which vendors say more than their 400 or 403 does; from their beginning, because what comes later may be
 * a caller's own words. Anthropic (github.com/anthropics/claude-code/issues/4684), xAI in the responses format and its
 * 403 (github.com/Anantys-oss/koan/issues/2412); OpenAI says it by `insufficient_quota`, with whatever status.
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
 * The fault of a call that was answered with something other than a 2xx.
 * @param message the provider's own words; they are bounded and cleaned here
 * @param providerCode the provider's own name of the failure
 * @param kind where that name says more than the status; else status and words tell
 * @param toldWaitMs how long its body asks to wait; its headers are asked first
 */
export function faultFromStatus(
  failure: UpstreamFailure,
  message: string | undefined,
  providerCode: string | undefined,
  kind = kindOfRefusal(failure.status, message, providerCode),
  toldWaitMs?: number,
): ProviderFault {
  const wait = retryAfterMs(failure.headers) ?? (toldWaitMs === undefined ? undefined : bounded(toldWaitMs));
  const words = message === undefined ? '' : safeMessage(message);
  return new ProviderFault(kind, words === '' ? `The provider answered with status ${failure.status}.` : words, {
    status: failure.status,
    ...(providerCode !== undefined && { providerCode: safeCode(providerCode) }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/**
 * A failure that stands in the midst of a reply, or in its place.
 * @param message the provider's own words; they are bounded and cleaned here
 * @param detail `providerCode` as the provider gives it; it is cleaned here too
 * @param otherwise what is said where the provider says nothing
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

/** What stands in the body of a failure: a JSON object, or words. */
export interface FailureBody {
  readonly json: JsonObject;
  readonly words?: string;
}

const NO_BODY: FailureBody = { json: {} };

/**
 * Reads the body of a failure, whatever it is. A proxy's page says nothing, nor does JSON that was cut at the read
 * limit; of a list, which is what some make of one error or of a stream that fails at once, the first entry counts.
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
 * How long the provider asked to wait, in milliseconds: `retry-after-ms`, else `retry-after` as
 * seconds or as an HTTP date.
 * @param headers lower-case names
 * @returns undefined when it did not ask, or not in a way that can be read; a date in the past is 0
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
 * A provider's words, fit for a caller: no control characters, no addresses (a key may stand in one), no keys, at most
 * `FAULT_MESSAGE_MAX` characters.
 */
export function safeMessage(text: string): string {
  // Cut before the patterns run, so that their time is bounded; twice the limit leaves room for what they take out.
  const head = text.slice(0, 2 * FAULT_MESSAGE_MAX);
  const clean = head
    // oxlint-disable-next-line no-control-regex -- these are the characters to remove
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/\b[a-z][a-z0-9+.-]{0,19}:\/\/[^\s"'<>)\]]*/gi, '[address]')
    .replace(/\bbearer\s+[\w.~+/=-]{16,}/gi, '[credential]')
    .replace(/\b(?:(?:sk|pk|rk|gsk|xai|fw|csk|tgp)[-_]|AIza)[\w*.-]{8,}/gi, '[credential]')
    // Keys of providers without a prefix of their own: half blacked out, or letters and digits without a break.
    .replace(/[\w-]*\*{3,}[\w*-]*/g, '[credential]')
    .replace(/\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{32,}\b/gi, '[credential]')
    .trim();
  return clean.length <= FAULT_MESSAGE_MAX ? clean : `${wholeCharacters(clean, FAULT_MESSAGE_MAX - 1)}…`;
}

/** A provider's code for a failure, fit for a caller: cleaned like its words, and as short as a name. */
export function safeCode(code: string): string {
  return safeMessage(code.slice(0, CODE_MAX));
}

/** The first `length` UTF-16 units, less a high surrogate whose other half is cut off. */
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
