// Random trees and texts in the forms that writers use, one document for each way to hide pages or text, random damage,
// and a large document against the clock: a PDF is never measured as shorter than a reader finds it, and one that hides
// something is not measured.
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { pdf, show, stream } from '../../../test/support/pdfs.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import type { PdfSize } from '../../core/money/pdf-size.js';
import { measurePdf, type Inflate } from './measure-pdf.js';

const inflate: Inflate = (packed, bytesMax) => inflateSync(packed, { maxOutputLength: Math.max(1, bytesMax) });
const measure = (file: Buffer): PdfSize | undefined => measurePdf(file, inflate);
const HELLO = show('hello world');
const FORM = '/Type /XObject /Subtype /Form ';
/** Another version of the tree's root, as an edited file appends it. */
const withRoot = (dictionary: string, pages = [HELLO]): Buffer =>
  Buffer.concat([pdf({ pages }), Buffer.from(`2 0 obj\n${dictionary}\nendobj\n`)]);

it.each([
  ['as it is', { packed: false }],
  ['with packed contents', {}],
  ['with objects in a stream', { objectStream: true }],
  ['with nodes of nodes', { fanOut: 1 }],
])('counts the pages and the text of a document written %s', (_, parts) => {
  const size = measure(pdf({ pages: [HELLO, HELLO, HELLO], ...parts }))!;
  expect(size.pages).toBe(3);
  expect(size.textBytes).toBeGreaterThanOrEqual(3 * 11);
  expect(size.textBytes).toBeLessThan(60);
});

it('never counts fewer pages or letters than there are', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', ' ', '.', 'é'), maxLength: 200 });
  const parts = fc.record({
    texts: fc.array(letters, { minLength: 1, maxLength: 40 }),
    packed: fc.boolean(),
    objectStream: fc.boolean(),
    fanOut: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(parts, ({ texts, ...how }) => {
      const size = measure(pdf({ pages: texts.map(show), ...how }))!;
      expect(size.pages).toBe(texts.length);
      expect(size.textBytes).toBeGreaterThanOrEqual(texts.join('').length);
    }),
  );
});

it.each([
  ['in hexadecimal', '<68656c6c6f20776f726c64> Tj', 11],
  ['with brackets and escapes within', '(a(b)c\\)d) Tj', 8],
  ['that does not end', '(hello world', 11],
])('counts a string %s', (_, content, letters) => {
  expect(measure(pdf({ pages: [content] }))!.textBytes).toBeGreaterThanOrEqual(letters);
});

it('counts the pages of all versions of a file, and none of other trees', () => {
  const two = Buffer.concat([
    pdf({ pages: [HELLO, HELLO], more: ['<< /Kids [500 0 R 501 0 R 502 0 R] /Limits [(a) (b)] >>'] }),
    Buffer.from(
      '1 0 obj\n<< /Pages 600 0 R >>\nendobj\n600 0 obj\n<< /Kids [601 0 R 602 0 R] >>\nendobj\n601 0 obj\n<< >>\nendobj\n602 0 obj\n<< >>\nendobj\n',
    ),
  ]);
  expect(measure(two)?.pages).toBe(4);
  const longer = '<< /Kids [5 0 R 9 0 R] >>\nendobj\n9 0 obj\n<< >>';
  expect(measure(withRoot(longer))?.pages).toBe(2);
});

it('counts pages outside the tree', () => {
  const stray = '<< /Type /Page >>';
  expect(measure(pdf({ pages: [HELLO], more: [stray, stray] }))?.pages).toBe(3);
});

it('counts fields and notes, which are outside of contents', () => {
  const note = `<< /Type /Annot /Contents (${'n'.repeat(500)}) /V (${'v'.repeat(500)}) >>`;
  expect(measure(pdf({ pages: [HELLO], more: [note] }))!.textBytes).toBeGreaterThanOrEqual(1_000);
});

it('counts the text of a form each time that one is shown', () => {
  const form = stream(show('x'.repeat(100)), '/Type /XObject /Subtype /Form ');
  const size = measure(pdf({ pages: [`${HELLO} /X1 Do /X1 Do /X1 Do`, '/X1 Do'], more: [form] }))!;
  expect(size.textBytes).toBeGreaterThanOrEqual(400);
});

it('skips pictures and fonts, however large they are', () => {
  const noise = Buffer.from('(('.repeat(5_000));
  const size = measure(
    pdf({
      pages: [`${HELLO} /I1 Do`],
      more: [
        `<< /Subtype /Image /Filter /DCTDecode /Length 9 >>\nstream\n((((((((\nendstream`,
        stream(noise, '/Subtype /Image '),
        stream(noise, '/Length1 10000 '),
        stream(noise, '/Type /Metadata /Subtype /XML ', false),
      ],
    }),
  );
  expect(size).toEqual({ pages: 1, textBytes: 11 + 1 });
});

const kids = (list: string): string => `<< /Type /Pages /Kids ${list} >>`;

it.each<[string, Buffer]>([
  ['what is no PDF', Buffer.from('hello')],
  ['nothing', Buffer.alloc(0)],
  ['one without pages', Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')],
  ['one that is encrypted', pdf({ pages: [HELLO], more: ['<< /Encrypt 5 0 R >>'] })],
  ['a page that is referred to twice', withRoot(kids('[30 0 R 30 0 R]'))],
  ['a node in two trees', withRoot(kids('[40 0 R 3 0 R]'))],
  ['pages listed elsewhere', withRoot(kids('7 0 R'))],
  ['pages behind a comment', withRoot(kids('%[\n[30 0 R]'))],
  ['pages written into the tree', withRoot(kids('[<< /Type /Page >>]'))],
  ['a tree that is its own branch', withRoot(kids('[2 0 R]'))],
  ['a tree that does not end', withRoot('<< /Type /Pages /X [ /Kids [30 0 R] >>')],
  ['a tree whose end is inside a text', withRoot('<< /X (endobj) /Kids [30 0 R 31 0 R] >>')],
  ['a tree given elsewhere', pdf({ pages: [HELLO], more: ['<< /Type /Catalog /Pages % 9 0 R >>'] })],
  ['a page that is not there', withRoot(kids('[30 0 R]'))],
  [
    'objects whose offset is given elsewhere',
    pdf({ pages: [HELLO], more: [stream('1 0 << >>', '/Type /ObjStm /N 1 /First 4 0 R ')] }),
  ],
  ['names in escapes', pdf({ pages: [HELLO], more: ['<< /K#69ds [30 0 R 31 0 R] >>'] })],
  ['a content that two pages share', pdf({ pages: [HELLO], page: '/Contents 4 0 R ' })],
  ['a content that is used twice', pdf({ pages: [HELLO], more: ['<< /Type /Page /Contents [1001 0 R 1001 0 R] >>'] })],
  ['contents listed elsewhere', pdf({ pages: [HELLO], more: ['<< /Contents 1001 0 R >>', '[4 0 R 4 0 R]'] })],
  ['a content that is not found', pdf({ pages: [HELLO], more: ['<< /Contents 77 0 R >>'] })],
  ['a content packed otherwise', pdf({ pages: [HELLO], more: ['<< /Filter /LZWDecode >>\nstream\nxyz\nendstream'] })],
  [
    'a content packed twice',
    pdf({ pages: [HELLO], more: [stream('x', '/Filter [/ASCIIHexDecode /FlateDecode] ', false)] }),
  ],
  ['a filter given elsewhere', pdf({ pages: [HELLO], more: [stream('x', '/Filter 9 0 R ', false)] })],
  ['a predictor', pdf({ pages: [HELLO], more: [stream('x', '/DecodeParms << /Predictor 12 >> ')] })],
  [
    'a stream that does not inflate',
    pdf({ pages: [HELLO], more: ['<< /Filter /FlateDecode >>\nstream\nnothing\nendstream'] }),
  ],
  [
    'a stream that inflates beyond the limit',
    pdf({ pages: [HELLO], more: [stream(Buffer.alloc(40_000_000, '(')), stream('(x) Tj')] }),
  ],
  ['forms that show forms', pdf({ pages: [HELLO], more: [stream(`${HELLO} /X2 Do`, FORM), stream(HELLO, FORM)] })],
  [
    'a form dressed up as a picture of text, within one that shows it',
    pdf({ pages: [HELLO], more: [stream('/X2 Do', FORM), stream(HELLO, `${FORM}/Length1 5 `)] }),
  ],
  [
    'letters that stand for many',
    pdf({ pages: [HELLO], more: [stream(`1 beginbfchar <01> <${'0041'.repeat(200)}>`)] }),
  ],
  ['a glyph that stands for many', pdf({ pages: [HELLO], more: ['<< /Differences [1 /uni00410042004300440045] >>'] })],
  ['glyphs given elsewhere', pdf({ pages: [HELLO], more: ['<< /Differences 9 0 R >>'] })],
  ['a long text in place of another', pdf({ pages: [HELLO], more: [`<< /ActualText (${'x'.repeat(500)}) >>`] })],
  ['a stream that does not end', Buffer.from('%PDF-1.7\n1 0 obj\n<< /Kids [3 0 R] >>\nstream\n(abc)')],
  [
    'an object within a stream',
    pdf({ pages: [HELLO], more: [stream('9 0 obj << >> endobj', '/Subtype /Image ', false)] }),
  ],
  ['a stream whose dictionary is cut', pdf({ pages: [HELLO], more: ['(obj) >>\nstream\nx\nendstream'] })],
])('does not measure %s', (_, file) => {
  expect(measure(file)).toBeUndefined();
});

it('accepts any damage without an error, and returns nothing or bounds', () => {
  const whole = pdf({ pages: [HELLO, HELLO], objectStream: true, more: [stream(HELLO, FORM)] });
  const position = fc.nat(whole.length);
  fc.assert(
    fc.property(fc.array(fc.tuple(position, fc.nat(255)), { maxLength: 20 }), position, (changes, end) => {
      const damaged = Buffer.from(whole.subarray(0, end));
      for (const [index, byte] of changes) if (index < damaged.length) damaged[index] = byte;
      const size = measure(damaged);
      expect(size === undefined || (size.pages > 0 && size.textBytes >= 0)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('measures a book within its time limit', async () => {
  const paragraph = show('The quick brown fox jumps over the lazy dog. '.repeat(60));
  const noise = Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => (index * 7919) % 256));
  const image = `<< /Subtype /Image /Filter /DCTDecode >>\nstream\n${noise.toString('latin1')}\nendstream`;
  const book = pdf({ pages: Array<string>(300).fill(paragraph), more: [image], objectStream: true });
  const once = (): void => expect(measure(book)).toMatchObject({ pages: 300 });
  // A tenth of it where nothing else runs. Where the time is too short, the size stays unknown (`PdfCounter`).
  const boundMs = 300;
  const best = await fastest(() => computedMs(once), boundMs);
  process.stdout.write(`measuring a PDF of ${book.length} bytes: ${best.toFixed(1)} ms\n`);
  expect(best).toBeLessThan(boundMs);
});
