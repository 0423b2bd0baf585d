import { isOfficeFile, type FileMarks } from './office-file.js';

const base64 = (...bytes: number[]): string => Buffer.from([...bytes, 0, 0, 0, 0]).toString('base64');
const PDF = Buffer.from('%PDF-1.7').toString('base64');

it.each<[string, FileMarks, boolean]>([
  ['a zip under any name', { mediaType: 'application/pdf', name: 'a.pdf', base64: base64(0x50, 0x4b, 3, 4) }, true],
  ['an OLE file', { mediaType: 'text/plain', base64: base64(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1) }, true],
  ['RTF', { mediaType: 'text/plain', base64: Buffer.from('{\\rtf1').toString('base64') }, true],
  ['a type of Word', { mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' }, true],
  ['an older type', { mediaType: 'application/vnd.ms-excel' }, true],
  ['a type of OpenDocument', { mediaType: 'application/vnd.oasis.opendocument.text' }, true],
  ['a name, where the type is unspecific', { mediaType: 'application/octet-stream', name: 'Plan.PPTX' }, true],
  ['a PDF with such a name', { mediaType: 'application/pdf', name: 'plan.docx', base64: PDF }, false],
  ['a text with such a name', { mediaType: 'text/csv', name: 'plan.xls', base64: 'YSxi' }, false],
  ['a PDF', { mediaType: 'application/pdf', name: 'plan.pdf', base64: PDF }, false],
  ['an image', { mediaType: 'image/png', name: 'a.png', base64: 'iVBORw0KGgo=' }, false],
  ['nothing', {}, false],
])('%s', (_, marks, is) => {
  expect(isOfficeFile(marks)).toBe(is);
}); // oxfmt-ignore
