// Typing errors are distinguished from unrelated names. Tables of names beside those of real bodies.
import { nearestName, suggestField } from './nearest-name.js';

const KNOWN = [
  'name',
  'limit',
  'limit_reset',
  'include_byok_in_limit',
  'expires_at',
  'enforce_zdr',
  'enforce_zdr_xai',
  'a',
];

describe('nearestName', () => {
  it.each([
    ['limt', 'limit'],
    ['limitt', 'limit'],
    ['liimt', 'limit'],
    ['LIMIT', 'limit'],
    ['limitReset', 'limit_reset'],
    ['limit-reset', 'limit_reset'],
    ['nmae', 'name'],
    ['include_byok_limit', 'include_byok_in_limit'],
    ['enforce_zdr_xa', 'enforce_zdr_xai'],
    ['expire', 'expires_at'],
    ['b', undefined],
    ['', undefined],
    ['stranger', undefined],
    ['lxmxt', 'limit'],
    ['lxxxt', undefined],
    ['__proto__', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('%.20s: %s', (name, expected) => {
    expect(nearestName(name, KNOWN)).toBe(expected);
  });

  it('returns the nearest of several', () => {
    expect(nearestName('limits', ['limit_usd', 'limit', 'list'])).toBe('limit');
  });
});

describe('suggestField', () => {
  it.each([
    ['limt', 'is not a known field; did you mean limit?'],
    ['stranger', 'is not a known field'],
  ])('%s %s', (name, reason) => {
    expect(suggestField(name, KNOWN)).toBe(reason);
  });
});
