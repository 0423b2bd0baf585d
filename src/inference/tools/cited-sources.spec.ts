// Texts and sources: a text cites the pages whose addresses it contains, in its order, and no others.
import fc from 'fast-check';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { CitedSources, CitingBlock } from './cited-sources.js';

const ONE = { url: 'https://one.example/a', title: 'One', quote: 'q'.repeat(300) };
const LONGER = { url: 'https://one.example/a/b' };
const sources = new CitedSources();
sources.add([ONE, LONGER]);
sources.add([{ url: ONE.url, title: 'Again' }]);

const cited = (text: string): unknown[] =>
  sources.citationsIn(text).map((citation) => (citation as { url: string }).url);

it.each<[string, string, string[]]>([
  ['a link', 'See [one](https://one.example/a).', [ONE.url]],
  ['both, in order', 'https://one.example/a/b and https://one.example/a', [LONGER.url, ONE.url]],
  ['an address that only begins like it', 'https://one.example/ab', []],
  ['a file of that name, or a part of it', 'https://one.example/a.pdf or https://one.example/a:b', []],
  ['nothing', 'One.', []],
  ['one that ends a sentence', 'It is https://one.example/a.', [ONE.url]],
])('cites %s', (_, text, urls) => {
  expect(cited(text)).toEqual(urls);
});

it('returns each in the form of the Messages format, with a short quote', () => {
  expect(sources.citationsIn(ONE.url)).toEqual([
    {
      type: 'web_search_result_location',
      url: ONE.url,
      title: 'One',
      cited_text: 'q'.repeat(150),
      encrypted_index: '',
    },
  ]);
});

it('contains the sources of tools in earlier turns, and nothing else', () => {
  const result = { type: 'tool-result', toolUseId: 'a', content: [] } as const;
  expect(CitedSources.in([{ role: 'user', content: [{ type: 'text', text: 'a' }, result] }])).toBeUndefined();
  const earlier = CitedSources.in([{ role: 'user', content: [result, { ...result, sources: [ONE] }] }]);
  expect(earlier?.citationsIn(ONE.url)).toMatchObject([{ url: ONE.url, title: 'One' }]);
});

it('forgets the oldest of more than a hundred', () => {
  const many = new CitedSources();
  many.add(Array.from({ length: 101 }, (_, index) => ({ url: `https://many.example/${index}` })));
  expect(many.citationsIn('https://many.example/0')).toEqual([]);
  expect(many.citationsIn('https://many.example/1 https://many.example/100')).toHaveLength(2);
});

it('keeps a source that was added again', () => {
  const many = new CitedSources();
  const urls = Array.from({ length: 101 }, (_, index) => ({ url: `https://many.example/${index}` }));
  many.add([...urls.slice(0, 100), { ...urls[0]!, title: 'Again' }, ...urls.slice(100)]);
  expect(many.citationsIn('https://many.example/0 https://many.example/1')).toMatchObject([{ url: urls[0]!.url }]);
});

it('does not repeat a citation of the block', () => {
  const block = new CitingBlock(sources);
  block.grow({ type: 'text', text: `${ONE.url} and ${LONGER.url}` });
  block.grow({ type: 'citation', citation: { type: 'web_search_result_location', url: ONE.url } });
  expect(block.end()).toMatchObject([{ type: 'citation', citation: { url: LONGER.url } }]);
});

it('finds the same as a search at every position', () => {
  const word = fc.constantFrom('https://', 'http', 'a', 'b', '/', 'a/', 'ab', '.', ' ');
  const words = fc.array(word, { maxLength: 14 }).map((parts) => parts.join(''));
  const addresses = fc.array(words.map((rest) => `https://${rest}`), { minLength: 1, maxLength: 5 }); // oxfmt-ignore
  fc.assert(
    fc.property(addresses, fc.array(words, { maxLength: 8 }), (urls, texts) => {
      const text = texts.join('');
      const some = new CitedSources();
      some.add(urls.map((url) => ({ url })));
      const isNamed = (url: string): boolean =>
        Array.from(text, (_, index) => index).some(
          (index) => text.startsWith(url, index) && !/^(?:[\w%/?#=&~-]|[.:@+]\w)/.test(text.slice(index + url.length)),
        );
      const found = some.citationsIn(text).map((citation) => (citation as { url: string }).url);
      expect(found.toSorted()).toEqual([...new Set(urls.filter(isNamed))].toSorted());
    }),
  );
});

// `indexOf` takes seconds for these: an address that fails at its end, or at its beginning, at every position.
const LETTERS = 'a'.repeat(2_000);
it.each<[string, (index: number) => string, string]>([
  ['10,000,000 characters', (index) => `https://many.example/${index}`, `${'x'.repeat(10_000_000)}`],
  ['one letter', (index) => `https://a/b${index}${LETTERS}`, `${'https://a/c'.repeat(100)}${'a'.repeat(260_000)}`],
  ['beginnings', (index) => `https://${LETTERS}${index}`, `https://${LETTERS} `.repeat(130)],
  ['schemes', (index) => `${'https://'.repeat(250)}${index}`, 'https://'.repeat(32_000)],
])('searches for a hundred in a text of %s without blocking the process', async (_, address, text) => {
  const many = new CitedSources();
  many.add(Array.from({ length: 100 }, (_one, index) => ({ url: address(index) })));
  expect(await fastest(() => computedMs(() => void many.citationsIn(text)), 60)).toBeLessThan(60);
});
