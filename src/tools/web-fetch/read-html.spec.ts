// HTML becomes Markdown with the same text: small pages of each kind.
import { outlineOf } from './html-outline.js';
import { readHtml } from './read-html.js';

const read = (body: string, head = ''): string =>
  readHtml(`<html><head>${head}</head><body>${body}</body></html>`, 'https://example.com/a/b').text;

it.each([
  ['a link', '<a href="../c">c</a>', '[c](https://example.com/c)'],
  [
    'a link of a page with a base',
    '<a href="c">c</a>',
    '[c](https://base.example/c)',
    '<base href="https://base.example/">',
  ],
  ['a link to a script', '<a href="javascript:x()">c</a>', 'c'],
  ['an image', '<p>see <img alt="a ring" src="/r.png">', 'see ![a ring](https://example.com/r.png)'],
  ['an image that holds itself', `<p>see <img alt="a ring" src="data:image/png;base64,${'A'.repeat(99)}">`, 'see'],
  ['a list', '<ul><li>one<li>two<ol><li>three</ol></ul>', '-   one\n-   two\n    1.  three'],
  ['code', '<pre><code>a\n  b</code></pre>', '```\na\n  b\n```'],
  [
    'a table',
    '<table><tr><th>a<th>b</tr><tr><td>1|2<td>3<br>4</tr></table>',
    '| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |',
  ],
  [
    'a table of parts',
    '<table><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2</tbody></table>',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['a table for its looks', '<table><tr><td><h2>one</h2><p>two</td></tr></table>', '## one\n\ntwo'],
  ['no tree', 'a < b', 'a < b'],
])('%s', (_, body, text, head = '') => {
  expect(read(body, head)).toBe(text);
});

it('drops what surrounds an article, and keeps all where there is none', () => {
  const nav = '<nav><a href="/">Home</a></nav>';
  const article = `<article><h2>Rings</h2>${`<p>${'A ring leads a rope, where it should run. '.repeat(10)}</p>`.repeat(5)}</article>`;
  expect(read(nav + article)).not.toContain('Home');
  expect(read(`${nav}<p>Hi.`)).toBe('[Home](https://example.com/)\n\nHi.');
});

it('reads a page that is not ordinary as plain lines', () => {
  const deep = `<title>Deep</title>${'<div>'.repeat(101)}one<p>two</p>${'</div>'.repeat(101)}`;
  expect(readHtml(deep, 'https://example.com/')).toMatchObject({ title: 'Deep', text: 'one\ntwo' });
});

it.each([
  ['depth', (count: number) => '<div>'.repeat(count), 100],
  ['elements', (count: number) => '<br>'.repeat(count), 20_000],
  ['attributes of one element', (count: number) => `<p ${'a '.repeat(count)}>`, 200],
  [
    'attributes',
    (count: number) => `<p ${'a '.repeat(100)}>`.repeat(count / 100) + `<p ${'a '.repeat(count % 100)}>`,
    100_000,
  ],
])('takes a page for ordinary up to its bound of %s', (_, make, most) => {
  expect([outlineOf(make(most)).isOrdinary, outlineOf(make(most + 1)).isOrdinary]).toEqual([true, false]);
});
