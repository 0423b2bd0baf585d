// Goal: statuses, waits and messages are read in the same way for every dialect, and nothing secret passes. Method:
// tables.
import type { FaultKind } from '../../core/errors.js';
import {
  FAULT_MESSAGE_MAX,
  faultFromStatus,
  faultKindOfStatus,
  retryAfterMs,
  safeCode,
  safeMessage,
} from './faults.js';

describe('statuses', () => {
  it.each<[number, FaultKind]>([
    [400, 'rejected-request'],
    [401, 'refused-credential'],
    [402, 'payment-required'],
    [403, 'refused-credential'],
    [404, 'not-found'],
    [408, 'timed-out'],
    [413, 'too-large'],
    [422, 'rejected-request'],
    [429, 'rate-limited'],
    [500, 'server-error'],
    [502, 'server-error'],
    [503, 'unavailable'],
    [504, 'timed-out'],
    [529, 'overloaded'],
    [302, 'server-error'],
    [418, 'server-error'],
  ])('%d is %s', (status, kind) => {
    expect(faultKindOfStatus(status)).toBe(kind);
    expect(faultFromStatus({ status, headers: {}, body: '' }, 'words', 'code')).toMatchObject({
      kind,
      message: 'words',
      detail: { status, providerCode: 'code' },
    });
  });

  it.each<[number, string, string | undefined, FaultKind]>([
    [400, 'Your credit balance is too low to access the API.', 'invalid_request_error', 'payment-required'],
    [403, 'Your team 3d-1f has either used all available credits or reached its limit.', undefined, 'payment-required'],
    [400, 'You exceeded your current quota.', 'insufficient_quota', 'payment-required'],
    [400, 'Incorrect API key provided: x***y.', 'invalid-argument', 'refused-credential'],
    // A caller's own text, repeated.
    [400, 'Unknown value: "Your credit balance is too low"', undefined, 'rejected-request'],
    [429, 'Your credit balance is too low', undefined, 'rate-limited'],
  ])('%d, %j, %s is %s', (status, message, code, kind) => {
    expect(faultFromStatus({ status, headers: {}, body: '' }, message, code).kind).toBe(kind);
  });

  it('has words where the provider has none', () => {
    const fault = faultFromStatus({ status: 503, headers: {}, body: '' }, ' ', undefined);
    expect(fault.message).toBe('The provider answered with status 503.');
    expect(fault.detail).toEqual({ status: 503 });
  });
});

describe('waits', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, Record<string, string | string[] | undefined>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fractions of a second', { 'retry-after': '0.25' }, 250],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:30 GMT' }, 0],
    ['milliseconds first', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    ['seconds where the milliseconds are broken', { 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
    ['a repeated header', { 'retry-after': ['3', '4'] }, 3000],
    ['at most a day', { 'retry-after': '999999999' }, 86_400_000],
    ['nothing', {}, undefined],
    ['an empty header', { 'retry-after': '' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['not a number', { 'retry-after': 'NaN' }, undefined],
  ])('reads %s', (_, headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});

describe('messages', () => {
  it.each([
    ['control characters', 'a\u0000\r\n\u001b[31mb\u2028c', 'a [31mb c'],
    ['addresses', 'see https://u:p@host/x?key=secret now', 'see [address] now'],
    ['keys', 'Incorrect API key provided: sk-proj-abc***xyz.', 'Incorrect API key provided: [credential]'],
    ['keys of Google', 'API key AIzaSyA-1234567890_abcdefghijklmnopqrs is wrong', 'API key [credential] is wrong'],
    ['keys without a prefix', 'key 0123456789abcdef0123456789abcdef refused', 'key [credential] refused'],
    [
      'keys that are half shown',
      'Incorrect API key provided: 8f3b****************91ac.',
      'Incorrect API key provided: [credential].',
    ],
    ['bearer values', 'got Bearer abcdefghijklmnop1234', 'got [credential]'],
    [
      'no ids, names and words that are long',
      'req_011CSHoEeqs5C35K2UUGqMWU of Llama-4-Maverick-17B-128E-Instruct-FP8, 01a1fe17-66a2-7e81-8258-b61e22a4c09c, **bold**',
      'req_011CSHoEeqs5C35K2UUGqMWU of Llama-4-Maverick-17B-128E-Instruct-FP8, 01a1fe17-66a2-7e81-8258-b61e22a4c09c, **bold**',
    ],
    [
      'nothing else',
      'The bearer token is missing; api_version is wrong: 5 < 6',
      'The bearer token is missing; api_version is wrong: 5 < 6',
    ],
  ])('lose %s', (_, given, expected) => {
    expect(safeMessage(given)).toBe(expected);
  });

  it.each([
    [FAULT_MESSAGE_MAX, FAULT_MESSAGE_MAX],
    [FAULT_MESSAGE_MAX + 1, FAULT_MESSAGE_MAX],
    [10_000_000, FAULT_MESSAGE_MAX],
  ])('of %d characters have %d', (given, kept) => {
    expect(safeMessage('x'.repeat(given))).toHaveLength(kept);
  });

  it('are never cut inside a character', () => {
    expect(safeMessage('x'.repeat(FAULT_MESSAGE_MAX - 2) + '🌊🌊').isWellFormed()).toBe(true);
  });

  it('keep codes as short as names', () => {
    expect(safeCode('c'.repeat(1000))).toHaveLength(100);
    expect(safeCode('rate\nlimit')).toBe('rate limit');
  });
});
