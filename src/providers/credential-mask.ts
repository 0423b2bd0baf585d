import { ProviderFault } from '../core/errors.js';
import type { CallHeaders } from '../core/platform.js';
import type { Secret } from '../core/secret.js';

const MASK = '[secret]';
/** Shorter parts of a structured credential are words such as `eu`, which say nothing. */
const PART_CHARACTERS_MIN = 8;
/** Shorter parts of a header are words such as `Bearer`; tokens and signatures are longer. */
const TOKEN_CHARACTERS_MIN = 20;

/**
 * The fault without the credential of its call: a provider may repeat the key it refuses, and whatever its form, the
 * very text of it is never passed on. Of one that is JSON, neither is any longer text in it.
 * @param authorisation the headers that the platform made of it: the tokens and signatures in them are not passed on
 * either
 */
export function withoutCredential(
  fault: ProviderFault,
  credential: Secret | undefined,
  authorisation?: CallHeaders,
): ProviderFault {
  const { detail, cause } = fault;
  const texts = textsOf(credential, authorisation);
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

/** A message that was shortened may end in the midst of it. */
function withoutBeginning(words: string, text: string): string {
  const end = words.endsWith('…') ? words.length - 1 : words.length;
  for (let length = Math.min(text.length, end); length >= PART_CHARACTERS_MIN; length--) {
    if (words.startsWith(text.slice(0, length), end - length)) return words.slice(0, end - length) + MASK;
  }
  return words;
}

/** Longest first, so that no part is left of one that holds another. */
function textsOf(credential: Secret | undefined, authorisation: CallHeaders = {}): readonly string[] {
  const texts: string[] = [];
  if (credential) {
    const whole = credential.reveal();
    texts.push(whole);
    if (/^\s*[[{]/.test(whole)) collect(parse(whole), texts);
  }
  for (const value of Object.values(authorisation)) {
    for (const part of value.split(/[\s,=]+/)) if (part.length >= TOKEN_CHARACTERS_MIN) texts.push(part);
  }
  return texts.sort((one, other) => other.length - one.length);
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (value.length >= PART_CHARACTERS_MIN) texts.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collect(part, texts);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
