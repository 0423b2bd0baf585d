/** Tables of edge cases and properties of ids, windows, amounts and secrets. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { hashKey, newApiKey, newGenerationId, newUuid } from './ids.js';
import { formatUsd, parseUsd, usdNumber } from './money/credits.js';
import { Secret } from './secret.js';
import { windowStart, type Interval } from './time.js';

describe('ids', () => {
  it('makes generation ids of the second and 20 letters or digits', () => {
    expect(newGenerationId(1_764_000_000_999)).toMatch(/^gen-1764000000-[0-9A-Za-z]{20}$/);
    expect(new Set(Array.from({ length: 5_000 }, () => newGenerationId(0))).size).toBe(5_000);
  });

  it('makes version 7 uuids that sort by time', () => {
    expect(newUuid(1_764_000_000_000)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newUuid(1_000) < newUuid(1_001)).toBe(true);
  });

  it('makes keys of 256 bits and stores their SHA-256', () => {
    expect(newApiKey()).toMatch(/^sk-fl-v1-[0-9a-f]{64}$/);
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('windowStart', () => {
  it.each<[Interval, string, string]>([
    ['daily', '2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00.000Z'],
    ['daily', '2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ['weekly', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00.000Z'],
    ['weekly', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['weekly', '2026-01-01T12:00:00.000Z', '2025-12-29T00:00:00.000Z'],
    ['monthly', '2026-11-30T23:59:59.999Z', '2026-11-01T00:00:00.000Z'],
    ['monthly', '2028-02-29T10:00:00.000Z', '2028-02-01T00:00:00.000Z'],
    ['lifetime', '2026-11-21T10:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ])('%s at %s begins at %s', (interval, at, expected) => {
    expect(windowStart(interval, Date.parse(at)).toISOString()).toBe(expected);
  });
});

describe('amounts', () => {
  it.each([
    ['0', 0n],
    ['1', 1_000_000_000_000n],
    ['0.000000000001', 1n],
    ['-2.5', -2_500_000_000_000n],
    ['10.10', 10_100_000_000_000n],
  ])('reads %s exactly', (text, amount) => {
    expect(parseUsd(text)).toBe(amount);
  });

  it.each(['', ' 1', '1.', '.5', '1e3', 'NaN', '+1', '1,5', '0.0000000000001', '1234567890123456', '0x1', '1.2.3'])(
    'does not read %j',
    (text) => {
      expect(parseUsd(text)).toBeUndefined();
    },
  );

  it('prints what it reads', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), (amount) => {
        expect(parseUsd(formatUsd(amount))).toBe(amount);
      }),
    );
    expect(usdNumber(1_500_000_000_000n)).toBe(1.5);
  });
});

describe('Secret', () => {
  it('shows its value only by reveal', () => {
    const secret = new Secret('canary');
    for (const shown of [
      String(secret),
      `${secret.toString()}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
    ]) {
      expect(shown).not.toContain('canary');
    }
    expect(secret.reveal()).toBe('canary');
  });
});
