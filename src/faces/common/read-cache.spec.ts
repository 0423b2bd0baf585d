// The switches of the response cache: either spelling of each header, the preset beside them, the bounds of the TTL.
import { readCacheOptions } from './read-cache.js';

const DEFAULTS = { prefix: 'X-Fairlead-Cache', ttlSeconds: 300, clears: false, shares: false };

it.each([
  ['x-fairlead-cache', 'X-Fairlead-Cache'],
  ['x-openrouter-cache', 'X-OpenRouter-Cache'],
])('reads %s and its companions, and answers by these names', (name, prefix) => {
  expect(readCacheOptions({ [name]: 'true' }, undefined)).toEqual({ ...DEFAULTS, prefix });
  const all = { [name]: ' TRUE ', [`${name}-ttl`]: '60', [`${name}-clear`]: 'true', [`${name}-share`]: 'True' };
  expect(readCacheOptions(all, undefined)).toEqual({ prefix, ttlSeconds: 60, clears: true, shares: true });
  for (const off of ['false', 'yes', '1', ''])
    expect(readCacheOptions({ [name]: off, [`${name}-ttl`]: '60' }, undefined)).toBeUndefined();
});

it('reads the two spellings together, the own one first', () => {
  const mixed = { 'x-openrouter-cache': 'true', 'x-fairlead-cache-ttl': '60', 'x-openrouter-cache-share': 'true' };
  expect(readCacheOptions(mixed, undefined)).toEqual({
    prefix: 'X-OpenRouter-Cache',
    ttlSeconds: 60,
    clears: false,
    shares: true,
  });
  expect(readCacheOptions({ 'x-openrouter-cache': 'true', 'x-fairlead-cache': 'false' }, undefined)).toBeUndefined();
  const both = { 'x-openrouter-cache': 'true', 'x-fairlead-cache': 'true', 'x-openrouter-cache-ttl': '7' };
  expect(readCacheOptions(both, undefined)).toEqual({ ...DEFAULTS, ttlSeconds: 7 });
});

it.each([
  ['1', 1],
  ['0', 1],
  ['00', 1],
  ['60abc', 60],
  ['1.5', 1],
  ['86400', 86_400],
  ['86401', 86_400],
  ['9'.repeat(400), 86_400],
  [' 60 ', 60],
  ['', 300],
  ['abc', 300],
  ['-5', 300],
  ['+5', 300],
  ['\u0663', 300],
])('reads the TTL %.20j as %j seconds', (text, ttlSeconds) => {
  expect(readCacheOptions({ 'x-fairlead-cache': 'true', 'x-fairlead-cache-ttl': text }, undefined)).toEqual({
    ...DEFAULTS,
    ttlSeconds,
  });
});

describe('beside a preset', () => {
  it('takes its switch unless a header has one, and never against its own false', () => {
    const on = { isOn: true, ttlSeconds: undefined };
    const off = { isOn: false, ttlSeconds: undefined };
    const silent = { isOn: undefined, ttlSeconds: 9 };
    expect(readCacheOptions({}, on)).toEqual(DEFAULTS);
    expect(readCacheOptions({ 'x-fairlead-cache': 'nonsense' }, on)).toEqual(DEFAULTS);
    expect(readCacheOptions({ 'x-openrouter-cache': 'false' }, on)).toBeUndefined();
    expect(readCacheOptions({ 'x-fairlead-cache': 'true' }, off)).toBeUndefined();
    expect(readCacheOptions({}, silent)).toBeUndefined();
    expect(readCacheOptions({ 'x-fairlead-cache': 'true' }, silent)).toEqual({ ...DEFAULTS, ttlSeconds: 9 });
  });

  it.each([
    ['x-fairlead-cache-ttl', 'X-Fairlead-Cache'],
    ['x-openrouter-cache-ttl', 'X-OpenRouter-Cache'],
  ])('takes the TTL of %s before that of the preset, without the header of the switch too', (name, prefix) => {
    const preset = { isOn: true, ttlSeconds: 77 };
    expect(readCacheOptions({ [name]: '60' }, preset)).toEqual({ ...DEFAULTS, prefix, ttlSeconds: 60 });
    expect(readCacheOptions({ [name]: '0' }, preset)).toEqual({ ...DEFAULTS, prefix, ttlSeconds: 1 });
    expect(readCacheOptions({ [name]: '99999999' }, preset)).toEqual({ ...DEFAULTS, prefix, ttlSeconds: 86_400 });
    expect(readCacheOptions({ [name]: 'abc' }, preset)).toEqual({ ...DEFAULTS, prefix, ttlSeconds: 77 });
  });
});
