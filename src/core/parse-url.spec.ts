// Many more calls than the engine needs to compile the function: the result stays the same.
import { parseUrl } from './parse-url.js';

it('parses addresses with any letters, also when optimised', () => {
  let read = 0;
  for (let call = 0; call < 50_000; call++) if (parseUrl('https://BÜCHER.example/')) read++;
  expect(read).toBe(50_000);
  expect(parseUrl('https://BÜCHER.example/')!.host).toBe('xn--bcher-kva.example');
});

it.each([
  ['https://a.example/b', undefined, 'https://a.example/b'],
  ['../c', 'https://a.example/b/d', 'https://a.example/c'],
  ['no address', undefined, undefined],
  ['../c', undefined, undefined],
  ['https://', 'https://a.example/', undefined],
])('reads %s on %s', (text, base, href) => {
  expect(parseUrl(text, base)?.href).toBe(href);
});
