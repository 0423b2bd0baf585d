// Goal: a text cites the pages whose addresses it names, in its order, and no others. Method: texts and sources.
import { CitedSources } from './cited-sources.js';

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
  ['nothing', 'One.', []],
  ['one that ends a sentence', 'It is https://one.example/a.', [ONE.url]],
])('cites %s', (_, text, urls) => {
  expect(cited(text)).toEqual(urls);
});

it('tells each in the words of the Messages format, quoted in short', () => {
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

it('knows what tools brought in earlier turns, and nothing else', () => {
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

it('looks for so many in so long a text', () => {
  const many = new CitedSources();
  many.add(Array.from({ length: 1_000 }, (_, index) => ({ url: `https://many.example/${index}` })));
  const beganAt = performance.now();
  expect(many.citationsIn(`${'x'.repeat(10_000_000)} https://many.example/1`)).toEqual([]);
  // Some ten seconds where all of it is searched for each of them.
  expect(performance.now() - beganAt).toBeLessThan(1_000);
});
