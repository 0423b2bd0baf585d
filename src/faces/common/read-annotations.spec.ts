import { readAnnotations } from './read-annotations.js';

const HASH = 'a'.repeat(64);
const text = { type: 'text', text: 'Words.' };
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const file = (content: object[], more: object = {}) => ({ type: 'file', file: { hash: HASH, name: 'a.pdf', content, ...more } }); // oxfmt-ignore

it('reads files of all turns, and their pictures', () => {
  const turns = [undefined, null, [], [file([text, image('data:image/png;base64,AAAA')])]];
  expect(readAnnotations(turns as never)).toEqual({
    parsedFiles: [
      {
        hash: HASH,
        name: 'a.pdf',
        content: [
          { type: 'text', text: 'Words.' },
          { type: 'image', isOfFile: true, source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
  });
});

it.each([
  ['citations', { type: 'url_citation', url_citation: { url: 'https://one.example' } }],
  ['another hash', file([text], { hash: '12' })],
  ['no content', file([])],
  ['a picture by address', file([image('http://10.0.0.1/a.png')])],
  ['a picture that is none', file([image('data:text/html;base64,AAAA')])],
  ['another type', file([{ type: 'audio', text: 'x' }])],
])('leaves out %s', (_, annotation) => {
  expect(readAnnotations([[annotation]] as never)).toEqual({});
});
