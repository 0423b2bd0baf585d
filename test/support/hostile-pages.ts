import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { pdf, show } from './pdfs.js';

const repeated = (part: string, times: number): Buffer => Buffer.from(part.repeat(times));
const numbered = (count: number, part: (index: number) => string): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, index) => part(index)).join(''));
const words = 'word '.repeat(200);

/** Pages that cost their reader more than their sender, one of each kind. */
export const HOSTILE_HTML: Readonly<Record<string, () => Buffer>> = {
  '20,000 nested elements': () => Buffer.from(`${'<div>'.repeat(20_000)}${words}${'</div>'.repeat(20_000)}`),
  'elements nested without an end': () => Buffer.from(`${words}${'<b><i><p>'.repeat(100_000)}`),
  'as deep as a page may be': () => Buffer.from(`${`${'<div>'.repeat(95)}${words}${'</div>'.repeat(95)}`.repeat(150)}`),
  '300,000 attributes of one element': () =>
    Buffer.from(`<div ${numbered(300_000, (index) => `a${index}=1 `).toString()}>${words}</div>`),
  'attributes as many as a page may have': () =>
    Buffer.from(`<p>${words}${`<p ${'a=1 '.repeat(4)}b=2 c=3 d=4>x`.repeat(15_000)}`),
  'one attribute of 8 MB': () => Buffer.from(`<p title="${'x'.repeat(8 * 1024 * 1024)}">${words}`),
  '20,000 links': () => Buffer.from(`<p>${words}${'<a href=/x>y</a>'.repeat(19_900)}`),
  'paragraphs that are never closed': () => Buffer.from(`${words}${'<p><b><i>text '.repeat(6_600)}`),
  '10,000 cells': () => Buffer.from(`${words}<table>${'<tr><td>1<td>2'.repeat(5_000)}</table>`),
  'a row of 19,000 cells': () => Buffer.from(`${words}<table><tr>${'<td>1'.repeat(19_000)}</table>`),
  'tables in tables': () => Buffer.from(`${words}${'<table><tr><td>x'.repeat(24)}`),
  'a million characters to escape': () => repeated('<p>*_`[]#', 120_000),
  'a million spaces': () => Buffer.from(`<p>${words}${' '.repeat(1_000_000)}x`),
  'a million line ends in code': () => Buffer.from(`<p>${words}<pre>${'\n'.repeat(1_000_000)}x</pre>`),
  'a million commas': () => Buffer.from(`<p>${words}${','.repeat(1_000_000)}`),
  'marks that are never tags': () => repeated('a < b << c <', 80_000),
  'comments without an end': () => Buffer.from(`<p>${words}${'<!-- '.repeat(200_000)}`),
  entities: () => repeated('&amp;&#x41;&notin;&nonsense', 60_000),
  '10 MB of tags': () => Buffer.from(`${words}${'<a>'.repeat(3_400_000)}`),
  '10 MB of text': () => Buffer.alloc(10 * 1024 * 1024, 'word '),
};

/** Spaces, compressed to a thousandth: the same block repeatedly, so that the whole is never in memory. */
function bomb(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const end = Buffer.from([0x03, 0x00, 0, 0, 0, 0]);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: megabytes }, () => block), end]);
}

/** Hostile PDFs. */
export const HOSTILE_PDF: Readonly<Record<string, () => Buffer>> = {
  '10,000 pages': () => pdf({ pages: Array.from({ length: 10_000 }, (_, index) => show(`Page ${index + 1}`)) }),
  'a page that unpacks to 2 GB': () => bombed(bomb(2_000), '/Filter /FlateDecode'),
  'a page packed twice': () => bombed(deflateSync(bomb(2_000)), '/Filter [/FlateDecode /FlateDecode]'),
  'a million commands': () => pdf({ pages: ['BT /F1 12 Tf '.concat('(x) Tj '.repeat(1_000_000), 'ET')] }),
  'pages that hold themselves': () =>
    Buffer.from(
      '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 9999999 /Kids [2 0 R 2 0 R] >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n',
    ),
  'arrays in arrays': () => pdf({ pages: [show('x')], page: `/Deep ${'['.repeat(100_000)}${']'.repeat(100_000)} ` }),
  '8 MB of nonsense': () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(8 * 1024 * 1024, '1 0 obj << ')]),
};

/** A page whose content is such a stream. */
function bombed(packed: Buffer, filter: string): Buffer {
  const content = `<< /Length ${packed.length} ${filter} >>\nstream\n${packed.toString('latin1')}\nendstream`;
  const file = pdf({ pages: [show('x')], more: [content] }).toString('latin1');
  return Buffer.from(file.replace('/Contents 4 0 R', '/Contents 1000 0 R'), 'latin1');
}
