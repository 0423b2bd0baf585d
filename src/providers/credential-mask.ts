import { append } from '../core/append.js';
import { ProviderFault } from '../core/errors.js';
import type { CallHeaders } from '../core/platform.js';
import type { Secret } from '../core/secret.js';

const MASK = '[secret]';
const NONE: readonly never[] = [];
/** Shorter parts of a structured credential are words such as `eu`, which are no secret. */
const PART_CHARACTERS_MIN = 8;
/**
 * Number of texts of a credential that are also searched in encoded forms, longest first. Chosen: a caller's credential
 * may hold thousands of texts, of which only a few are secrets, and each has ten forms.
 */
const ENCODED_MAX = 100;
/** Shorter parts of a header are words such as `Bearer`; tokens and signatures are longer. */
const TOKEN_CHARACTERS_MIN = 20;

/**
 * The fault without the credential of its call. A provider may repeat the key that it refuses, so the text of the
 * credential is masked in every message. If the credential is JSON, each longer text in it is masked as well.
 * @param authorisation headers that the platform made from it; their tokens and signatures are masked as well
 * @param others credentials for a proxy on the way
 */
export function withoutCredential(
  fault: ProviderFault,
  credential: Secret | undefined,
  authorisation?: CallHeaders,
  others: readonly Secret[] = NONE,
): ProviderFault {
  const { detail, cause } = fault;
  const texts = textsOf(credential, authorisation, others);
  if (texts.length === 0) return fault;
  const message = mask(fault.message, texts);
  const providerCode = detail.providerCode === undefined ? undefined : mask(detail.providerCode, texts);
  if (message === fault.message && providerCode === detail.providerCode) return fault;
  return new ProviderFault(
    fault.kind,
    message,
    { ...detail, ...(providerCode !== undefined && { providerCode }) },
    { cause },
  );
}

const mask = (words: string, texts: readonly string[]): string =>
  texts.reduce((masked, text) => withoutBeginning(masked.replaceAll(text, MASK), text), words);

/** A shortened message may end in the middle of the secret. */
function withoutBeginning(words: string, text: string): string {
  const end = words.endsWith('…') ? words.length - 1 : words.length;
  for (let length = Math.min(text.length, end); length >= PART_CHARACTERS_MIN; length--) {
    if (words.startsWith(text.slice(0, length), end - length)) return words.slice(0, end - length) + MASK;
  }
  return words;
}

/** All forms in which the credential may be repeated, longest first, so that masking one leaves no part of another. */
function textsOf(
  credential: Secret | undefined,
  authorisation: CallHeaders = {},
  others: readonly Secret[],
): readonly string[] {
  const texts = others.map((secret) => secret.reveal());
  if (credential) {
    const whole = credential.reveal();
    texts.push(whole);
    if (/^\s*[[{]/.test(whole)) collect(parse(whole), texts);
  }
  for (const value of Object.values(authorisation)) {
    for (const part of value.split(/[\s,=]+/)) if (part.length >= TOKEN_CHARACTERS_MIN) texts.push(part);
  }
  const longestFirst = byLength(texts);
  const encoded = longestFirst.slice(0, ENCODED_MAX).flatMap(encodingsOf);
  return byLength([...longestFirst, ...longestFirst.map(inAddresses), ...encoded]);
}

const byLength = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort((one, other) => other.length - one.length);

/** Encoded forms of a text: JSON, base64, hexadecimal digits, and the parts between control characters. */
const encodingsOf = (text: string): readonly string[] =>
  [JSON.stringify(text).slice(1, -1), ...inBase64(text), ...inHex(text), ...linesOf(text)].filter(
    ({ length }) => length >= PART_CHARACTERS_MIN,
  );

/** A lone surrogate has no such form. */
function inAddresses(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * In either alphabet and at each of the three offsets, since the encoded text may begin anywhere (`user:key`,
 * `Bearer key`). Three bytes make four digits. Digits that depend on adjacent bytes are left out.
 */
function inBase64(text: string): readonly string[] {
  return [0, 1, 2].flatMap((bytesBefore) => {
    const bytes = Buffer.from('\0'.repeat(bytesBefore) + text);
    const own = bytes.toString('base64url').slice(Math.ceil((bytesBefore * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}

function inHex(text: string): readonly string[] {
  const digits = Buffer.from(text).toString('hex');
  return [digits, digits.toUpperCase()];
}

/** A key in PEM has several lines; a message that is passed on has no line breaks. */
// oxlint-disable-next-line no-control-regex -- these are what is taken from words
const linesOf = (text: string): readonly string[] => text.split(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/);

/** Without recursion: a caller's credential may be nested deeper than the stack. */
function collect(root: unknown, texts: string[]): void {
  const values = [root];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value === 'string') {
      if (value.length >= PART_CHARACTERS_MIN) texts.push(value);
    } else if (typeof value === 'object' && value !== null) {
      append(values, Object.values(value));
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
