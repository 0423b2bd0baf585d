import type { RecordedRequest } from '../recorded-request.js';
import { json, type Answer, type Complaint } from '../upstream-answers.js';
import type { Rules } from '../upstreams.js';

// Engines of web search on loopback, written from their published APIs (the pages are listed in src/tools/web-search/):
// each refuses what the real one refuses, and in addition unknown fields, so that a misspelt one is noticed.

/** A page that an engine has found. */
export interface EnginePage {
  readonly url: string;
  readonly title?: string;
  readonly date?: string;
  readonly text?: string;
}

export interface EngineDouble {
  readonly rules: Rules;
  /** An answer with these pages. */
  readonly answer: (pages: readonly EnginePage[]) => Answer;
}

/** Checks one field of a body: the fault, if any. */
export type FieldRule = (value: unknown) => string | undefined;

export const KEY = 'engine-key-0123456789';

interface DoubleParts {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: (headers: RecordedRequest['headers']) => string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Checks the combination of fields. */
  readonly together?: (body: Record<string, unknown>) => string | undefined;
  readonly refusal: (status: number, message: string) => unknown;
  readonly invalidStatus: number;
  readonly reply: (pages: readonly EnginePage[]) => unknown;
}

export function engineDouble(parts: DoubleParts): EngineDouble {
  const rules: Rules = (request) => {
    const refuse = (status: number, message: string): Complaint => ({ status, body: parts.refusal(status, message) });
    const { pathname, searchParams } = new URL(request.path, 'http://engine');
    if (request.method !== parts.method || pathname !== parts.path) return refuse(404, 'There is no such address.');
    if (parts.key(request.headers) !== KEY) return refuse(401, 'The key is missing or wrong.');
    for (const [name, value] of Object.entries(parts.headers ?? {})) {
      if (request.headers[name] !== value) return refuse(parts.invalidStatus, `${name}: must be ${value}`);
    }
    const body: unknown = parts.method === 'GET' ? Object.fromEntries(searchParams) : request.json;
    const fault = faultOf(body, parts);
    return fault === undefined ? undefined : refuse(parts.invalidStatus, fault);
  };
  return { rules, answer: (pages) => json(parts.reply(pages)) };
}

function faultOf(body: unknown, { required, fields, together }: DoubleParts): string | undefined {
  if (typeof body !== 'object' || body === null) return 'The body must be a JSON object.';
  const members = body as Record<string, unknown>;
  const missing = required.find((name) => !(name in members));
  if (missing !== undefined) return `${missing}: is required`;
  for (const [name, value] of Object.entries(members)) {
    const rule = fields[name];
    const fault = rule ? rule(value) : 'is not a known field';
    if (fault !== undefined) return `${name}: ${fault}`;
  }
  return together?.(members);
}

export const bearerKey = ({ authorization }: RecordedRequest['headers']): string | undefined =>
  authorization?.replace(/^Bearer /, '');

export const apiKeyHeader = ({ 'x-api-key': key }: RecordedRequest['headers']): string | undefined =>
  typeof key === 'string' ? key : undefined;

export const text =
  (max = Infinity): FieldRule =>
  (value) =>
    typeof value === 'string' && value !== '' && value.length <= max ? undefined : `must be a text of 1 to ${max}`;

export const whole =
  (min: number, max: number): FieldRule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be from ${min} to ${max}`;

export const country: FieldRule = (value) =>
  typeof value === 'string' && /^[A-Z]{2}$/.test(value) ? undefined : 'must be a country code';

const HOSTNAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

export const hostnames =
  (max: number, prefix = ''): FieldRule =>
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= max &&
    value.every(
      (host) => typeof host === 'string' && host.startsWith(prefix) && HOSTNAME.test(host.slice(prefix.length)),
    )
      ? undefined
      : `must be 1 to ${max} host names`;

export const members =
  (fields: Readonly<Record<string, FieldRule>>): FieldRule =>
  (value) => {
    if (typeof value !== 'object' || value === null) return 'must be an object';
    for (const [name, member] of Object.entries(value)) {
      const fault = fields[name]?.(member) ?? (fields[name] ? undefined : 'is not a known field');
      if (fault !== undefined) return `${name}: ${fault}`;
    }
    return undefined;
  };
