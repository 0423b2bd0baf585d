// Tags of headers and bodies, and those of the key beside them: the result, or the exact complaint.
import type { Caller } from '../../core/caller.js';
import { readRequestHeaders } from './read-headers.js';
import { readTags, readTagsHeader } from './read-tags.js';

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
const TEN = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`t${index}`, 'x']));

describe('readTagsHeader', () => {
  it.each([
    ['team=search,feature=answers', { team: 'search', feature: 'answers' }],
    [' team=a b , ', { team: 'a b' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=%2C%25%3D%F0%9F%8C%8A', { a: ',%=🌊' }],
    [latin1('a=Café'), { a: 'Café' }],
    [`a=${'%F0%9F%8C%8A'.repeat(128)}`, { a: '🌊'.repeat(128) }],
    ['__proto__=x', Object.fromEntries([['__proto__', 'x']])],
    [',', undefined],
  ])('reads %.40s', (text, tags) => {
    expect(readTagsHeader(text)).toEqual(tags);
  });

  it.each([
    ['team', 'x-fairlead-tags: must be pairs of name=value separated by commas'],
    [' team = a b ', 'x-fairlead-tags.team : its name must be 1 to 64 characters'],
    ['=x', 'x-fairlead-tags: must be pairs of name=value separated by commas'],
    ['a=1,a=2', 'x-fairlead-tags: names the tag a twice'],
    ['a=%E2%28', 'x-fairlead-tags: is not percent-encoded UTF-8'],
    ['a=%', 'x-fairlead-tags: is not percent-encoded UTF-8'],
    ['Team=x', 'x-fairlead-tags.Team: its name must be 1 to 64 characters of a-z, 0-9, "_", "." and "-"'],
    [`${'a'.repeat(65)}=x`, 'its name must be 1 to 64 characters'],
    ['a=', 'x-fairlead-tags.a: must be at least 1 character'],
    [`a=${'x'.repeat(129)}`, 'x-fairlead-tags.a: must be at most 128 characters'],
    ['a=%00', 'x-fairlead-tags.a: must not contain NUL characters or lone surrogates'],
    [Object.keys({ ...TEN, more: '' }).map((name) => `${name}=x`).join(), 'x-fairlead-tags: must have at most 10 entries'], // oxfmt-ignore
  ])('refuses %.40s', (text, message) => {
    expect(() => readTagsHeader(text)).toThrow(message);
  });
});

describe('readTags', () => {
  const caller = { tags: { team: 'key', owner: 'key' }, requiredTags: ['cost-center'] } as unknown as Caller;
  const given = (tags: string): ReturnType<typeof readRequestHeaders> =>
    readRequestHeaders({ 'x-fairlead-tags': tags }, caller);

  it('prefers the body to the header, and the header to the key', () => {
    const headers = given('team=header,feature=header,cost-center=1');
    expect(headers).toMatchObject({ tags: { team: 'header', owner: 'key', feature: 'header', 'cost-center': '1' } });
    expect(readTags(headers, { feature: 'body' })).toEqual({
      team: 'header',
      owner: 'key',
      feature: 'body',
      'cost-center': '1',
    });
  });

  it('names what the workspace requires', () => {
    const message = 'trace.tags: the workspace requires cost-center; send it in trace.tags or X-Fairlead-Tags';
    expect(() => readTags(given('a=b'), undefined)).toThrow(message);
    expect(() => readTags(readRequestHeaders({}, caller), undefined)).toThrow(message);
    expect(readTags(given(''), { 'cost-center': '7' })).toEqual({ team: 'key', owner: 'key', 'cost-center': '7' });
  });

  it('refuses more than ten together', () => {
    const headers = readRequestHeaders({}, { tags: { owner: 'key' } } as unknown as Caller);
    expect(() => readTags(headers, TEN)).toThrow('there are more than 10 tags');
    expect(readTags({}, TEN)).toBe(TEN);
  });

  it('is not there where nobody has tags', () => {
    expect(readRequestHeaders({}, { keyHash: 'k' } as unknown as Caller)).toEqual({ betas: [] });
    expect(readTags({}, {})).toBeUndefined();
  });
});
