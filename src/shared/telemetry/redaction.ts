import { parseUrl } from '../../core/parse-url.js';
import { types } from 'node:util';
import type { Secret } from '../../core/secret.js';

const MASK = '[secret]';
const TEXT_CHARACTERS_MAX = 4096;
const DEPTH_MAX = 4;
const ENTRIES_MAX = 50;

/** Names of fields whose value is never logged, in lower case, without hyphens and underscores. */
const SECRET_FIELDS = new Set([
  'apikey', 'authorization', 'body', 'cookie', 'credential', 'credentials', 'encryptionkey', 'key', 'keys', 'managementkey',
  'messages', 'parameters', 'passphrase', 'password', 'prompt', 'proxyauthorization', 'query', 'secret', 'secrets', 'setcookie',
  'token', 'xapikey',
]); // oxfmt-ignore

/**
 * Keys of vendors and of the gateway, and the value after an authentication scheme. Each pattern is linear and cannot
 * backtrack far.
 */
const KEY_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:(?:sk|pk|rk|gsk|xai|ghp)[-_]|AIza)[A-Za-z0-9_-]{16,}/g, MASK],
  [/\b(bearer|basic)\s+[^\s"',;]{16,}/gi, `$1 ${MASK}`],
  [/:\/\/[^\s/@]{1,512}@/g, `://${MASK}@`],
];

/**
 * Removes secrets from log data: fields by their name, known secrets and anything in the form of a key wherever it
 * occurs in a text. Texts, depth and width are bounded. Safe to share.
 */
export class Redaction {
  private readonly known: readonly string[];

  /** @param secrets that must not be printed even inside the message of a foreign error */
  constructor(secrets: readonly Secret[] = []) {
    this.known = secrets.flatMap((secret) => withPassword(secret.reveal())).filter((text) => text.length >= 4);
  }

  /** The text without secrets, cut at 4,096 characters. */
  text(text: string): string {
    // Cut last: a secret that spans the cut would lose the end by which it is recognised.
    let clean = text.length > 16 * TEXT_CHARACTERS_MAX ? text.slice(0, 16 * TEXT_CHARACTERS_MAX) : text;
    for (const secret of this.known) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
    for (const [shape, mask] of KEY_SHAPES) clean = clean.replace(shape, mask);
    return clean.length > TEXT_CHARACTERS_MAX ? `${clean.slice(0, TEXT_CHARACTERS_MAX)}…` : clean;
  }

  /** A copy that JSON can represent, without secrets. Errors keep only type, message, code, stack and cause. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return value.toString();
    if (typeof value === 'function' || typeof value === 'symbol') return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEPTH_MAX) return '[deep]';
    if (isError(value)) return this.error(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map((entry) => this.value(entry, depth + 1));
    if (ArrayBuffer.isView(value)) return '[bytes]';
    if ('toJSON' in value && typeof value.toJSON === 'function') return MASK;
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, ENTRIES_MAX)
        .map(([name, entry]) => [name, isSecretField(name) ? MASK : this.value(entry, depth + 1)]),
    );
  }

  /** Errors of drivers carry statements, parameters and rows besides their message: only the named fields are kept. */
  private error(error: Error, depth: number): Record<string, unknown> {
    return {
      type: error.name,
      message: this.text(error.message),
      ...('code' in error &&
        (typeof error.code === 'string' || typeof error.code === 'number') && { code: error.code }),
      ...(error.stack !== undefined && { stack: this.text(error.stack) }),
      ...(error.cause !== undefined && { cause: this.value(error.cause, depth + 1) }),
    };
  }
}

/** Errors of the runtime may come from another realm, where `instanceof` does not recognise them. */
export const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

const isSecretField = (name: string): boolean => SECRET_FIELDS.has(name.toLowerCase().replace(/[-_]/g, ''));

/** Drivers also print parts of a URL, so its password alone is a secret too, as written and decoded. */
function withPassword(secret: string): string[] {
  const password = parseUrl(secret)?.password;
  return password === undefined ? [secret] : [secret, password, decodeSafely(password)];
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
