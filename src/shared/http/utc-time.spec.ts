// Only unambiguous times are read (docs/operate/keys.md#administration: UTC only, seconds required). Tables.
import { readUtcTime } from './utc-time.js';

describe('readUtcTime', () => {
  it.each([
    ['2030-01-31T00:00:00Z', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T23:59:59.999Z', '2030-01-31T23:59:59.999Z'],
    ['2030-01-31T12:00:00.123456789Z', '2030-01-31T12:00:00.123Z'],
    ['2030-01-31T12:00:00+00:00', '2030-01-31T12:00:00.000Z'],
    ['2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
  ])('reads %s', (text, time) => {
    expect(readUtcTime(text)?.toISOString()).toBe(time);
  });

  it.each([
    ['2030-01-31T12:00:00+02:00'],
    ['2030-01-31T12:00:00-00:00'],
    ['2030-01-31T12:00:00'],
    ['2030-01-31T12:00Z'],
    ['2030-01-31'],
    ['2030-02-30T12:00:00Z'],
    ['2030-13-01T12:00:00Z'],
    ['2030-01-31T24:00:00Z'],
    ['2030-01-31T25:00:00Z'],
    ['2030-01-31t12:00:00z'],
    ['+012030-01-31T12:00:00Z'],
    ['2030-01-31T12:00:00Z\n'],
    [' 2030-01-31T12:00:00Z'],
    ['tomorrow'],
    [''],
    [1_900_000_000_000],
    [null],
    [undefined],
  ])('refuses %j', (value) => {
    expect(readUtcTime(value)).toBeUndefined();
  });
});
