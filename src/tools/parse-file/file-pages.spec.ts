import type { ImageBlock } from '../../core/conversation/content.js';
import { pageBlocks, type ReadPage } from './file-pages.js';

const picture: ImageBlock = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'x' } };
const EMPTY: ReadPage = { text: '' };
const NOTHING = 'without any text: a scan or a drawing, whose words could not be read';

it.each<[string, readonly ReadPage[], number, readonly string[]]>([
  ['each page', [{ text: 'a' }, { text: 'b' }], 2, ['[Page 1 of 2]\na', '[Page 2 of 2]\nb']],
  ['a scan', [EMPTY], 1, [`[Page 1 of 1 ${NOTHING}]`.replace('read]', 'read.]')]],
  ['neighbours without text as one', [EMPTY, EMPTY, { text: 'c' }, EMPTY], 4, [`[Pages 1 to 2 of 4 ${NOTHING}.]`, '[Page 3 of 4]\nc', `[Page 4 of 4 ${NOTHING}.]`]],
  ['what was left out', [{ text: 'a' }], 9, ['[Page 1 of 9]\na', '[Pages 2 to 9 of 9 left out.]']],
  ['one that was left out', [{ text: 'a' }], 2, ['[Page 1 of 2]\na', '[Page 2 of 2 left out.]']],
  ['pages that were not read at all', [], 3, ['[Pages 1 to 3 of 3 left out.]']],
  ['a page of pictures', [{ text: '', images: [picture] }], 1, ['[Page 1 of 1]', 'image']],
])('prints %s', (_, pages, count, expected) => {
  expect(pageBlocks(pages, count).map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(expected);
}); // oxfmt-ignore
