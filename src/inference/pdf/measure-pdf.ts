import { addReferences, countMatches, countPages, findObjects, Unmeasurable, type PdfObjects } from './pdf-pages.js';
import type { PdfSize } from '../../core/money/pdf-size.js';
import { countStringBytes } from './pdf-strings.js';

/** Inflates zlib data, from the first byte to its end. @throws Error for malformed or larger data */
export type Inflate = (packed: Buffer, bytesMax: number) => Buffer;

/** The limit of all inflated streams of a document: they are scanned within tens of milliseconds. Chosen. */
const INFLATED_BYTES_MAX = 32 * 1024 * 1024;

/** Names that are searched for here. With escapes in them they would not be found. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    '/Kids',
    '/Pages',
    '/Page',
    '/Type',
    '/Contents',
    '/Encrypt',
    '/Filter',
    '/FlateDecode',
    '/DecodeParms',
    '/Predictor',
  ],
  ...['/ObjStm', '/First', '/Form', '/AP', '/Differences', '/ActualText'],
]);
const ESCAPED_NAME = /\/[^\s/<>[\](){}%#]*(?:#[0-9A-Fa-f]{2}[^\s/<>[\](){}%#]*)+/g;

const STREAM = 'stream';
const OBJECT_NUMBER = /(\d+)\s+\d+\s+$/;
const LINE_END = /^[ \t]*(?:\r\n|\r|\n)?/;
const OBJECT = /\d\s+\d+\s+obj\b/;
const FILTER = /\/Filter\s*(?:\[\s*\/(\w+)\s*\]|\/(\w+)|)/;
const PREDICTOR = /\/Predictor\s+(?!1\b)/;

/** A page has one or several references here, a note a text. */
const CONTENTS = /\/Contents\b\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R\b)|[(<]|(.|$))/g;

/** Pictures, fonts, cross-reference tables, descriptions: skipped where no page is drawn from them. */
const HOLDS_NO_TEXT =
  /\/Subtype\s*\/(?:Image|Type1C|CIDFontType0C|OpenType|XML)\b|\/Type\s*\/(?:XRef|Metadata)\b|\/Length[123]\b|\/N\s+[134]\b/;
const SHOWS_TEXT = /\bT[jJ]\b|['"]/;
const SHOWN = /\/[^\s/]+\s+Do\b/g;
/** Notes and fields are drawn from forms that no page's content shows. */
const APPEARANCE = /\/AP\b/g;

/** A code of a font that stands for more than three letters makes more text than the string shows. */
const MANY_LETTERS = /<[0-9A-Fa-f\s]{13,}>/;
const GLYPHS = /\/Differences\b\s*(?:\[([^\]]*)\])?/g;
const MANY_LETTERS_GLYPH = /\/(?:uni[0-9A-Fa-f]{16}|[A-Za-z0-9]+(?:_[A-Za-z0-9]+){3})/;
/** A text that stands for another may be referenced any number of times. */
const LONG_REPLACEMENT = /\/ActualText\s*(?:\([^)]{64}|<[^>]{128})/;

interface Stream {
  /** The number of its object. */
  readonly number: string;
  readonly dictionary: string;
  readonly begin: number;
  readonly end: number;
}

/**
 * Counts an upper bound of the pages and bytes of text that a reader finds in a PDF, or returns undefined: for PDFs
 * that are encrypted, compressed otherwise than by zlib, or made so that more may be shown than is visible here (pages
 * or texts used more than once, names in escapes, letters that stand for many). Nothing is laid out; older versions of
 * a file count with the others. Takes some milliseconds for a megabyte.
 */
export function measurePdf(file: Buffer, inflate: Inflate): PdfSize | undefined {
  try {
    return new PdfReader(file, inflate).measure();
  } catch (error) {
    if (error instanceof Unmeasurable) return undefined;
    throw error;
  }
}

/** Reads one document, once. */
class PdfReader {
  private readonly streams: readonly Stream[];
  private readonly objects: PdfObjects;
  private inflatedBytes = 0;

  constructor(
    private readonly file: Buffer,
    private readonly inflate: Inflate,
  ) {
    // Decodes one letter for each byte, so that positions are the same.
    const text = file.toString('latin1');
    if (!text.slice(0, 1_024).includes('%PDF-')) throw new Unmeasurable();
    this.streams = findStreams(text);
    const holders = this.streams.filter(holdsObjects);
    this.objects = findObjects(
      outsideOf(text, this.streams),
      holders.map((stream) => [stream.dictionary, this.unpack(stream).toString('latin1')]),
    );
  }

  measure(): PdfSize {
    for (const structure of this.objects.structures) assertPlain(structure);
    const pages = countPages(this.objects);
    return { pages, textBytes: this.countOutside() + this.countShown(this.listContents()) };
  }

  /** Numbers of the objects that pages are drawn from, each for one page. */
  private listContents(): ReadonlySet<string> {
    const contents = new Set<string>();
    for (const structure of this.objects.structures) {
      for (const [, list, single, unreadable] of structure.matchAll(CONTENTS)) {
        if (unreadable !== undefined) throw new Unmeasurable();
        if (list !== undefined || single !== undefined) addReferences(list ?? single, contents);
      }
    }
    // An object that is not a stream is a list of references, or is not visible here.
    const known = new Set(this.streams.map(({ number }) => number));
    for (const number of contents) if (!known.has(number)) throw new Unmeasurable();
    return contents;
  }

  /** Counts texts outside of the contents of pages: titles, form fields, annotations. */
  private countOutside(): number {
    let count = 0;
    for (const structure of this.objects.structures) count += countStringBytes(Buffer.from(structure, 'latin1'));
    return count;
  }

  /** Content of pages counts once; the longest of the other streams counts for each time that one is shown. */
  private countShown(contents: ReadonlySet<string>): number {
    let count = 0;
    let longest = 0;
    let shown = 0;
    let isNested = false;
    for (const structure of this.objects.structures) shown += countMatches(structure, APPEARANCE);
    for (const stream of this.streams) {
      const isContent = contents.has(stream.number);
      if (holdsObjects(stream) || (!isContent && isPassedOver(stream))) continue;
      const bytes = this.unpack(stream);
      const body = bytes.toString('latin1');
      if (body.includes('beginbf') && MANY_LETTERS.test(body)) throw new Unmeasurable();
      if (!isContent && !SHOWS_TEXT.test(body) && !body.includes(' Do')) continue;
      const calls = countMatches(body, SHOWN);
      const length = countStringBytes(bytes);
      shown += calls;
      if (isContent) count += length;
      else longest = Math.max(longest, length);
      isNested ||= !isContent && calls > 0;
    }
    if (isNested && longest > 0) throw new Unmeasurable();
    return count + longest * shown;
  }

  private unpack({ dictionary, begin, end }: Stream): Buffer {
    const filter = FILTER.exec(dictionary);
    if (!filter) return this.file.subarray(begin, end);
    if ((filter[1] ?? filter[2]) !== 'FlateDecode' || PREDICTOR.test(dictionary)) throw new Unmeasurable();
    let bytes: Buffer;
    try {
      // The stated length is ignored: the compressed data contain their own end.
      bytes = this.inflate(this.file.subarray(begin), INFLATED_BYTES_MAX - this.inflatedBytes);
    } catch {
      throw new Unmeasurable();
    }
    this.inflatedBytes += bytes.length;
    return bytes;
  }
}

/** @throws Unmeasurable where it is not certain that all are found */
function findStreams(text: string): Stream[] {
  const streams: Stream[] = [];
  let end = 0;
  for (let index = text.indexOf(STREAM); index !== -1; index = text.indexOf(STREAM, Math.max(index + 1, end))) {
    if (text.startsWith('end', index - 3)) continue;
    const object = text.lastIndexOf('obj', index);
    const number = OBJECT_NUMBER.exec(text.slice(Math.max(0, object - 32), Math.max(0, object)))?.[1];
    const dictionary = text.slice(object + 3, index).trim();
    if (number === undefined || !dictionary.startsWith('<<') || !dictionary.endsWith('>>')) throw new Unmeasurable();
    const after = index + STREAM.length;
    const begin = after + LINE_END.exec(text.slice(after, after + 64))![0].length;
    end = text.indexOf('endstream', begin);
    // A reader that uses the stated lengths would find an object inside as well.
    if (end === -1 || hasObject(text, begin, end)) throw new Unmeasurable();
    streams.push({ number, dictionary, begin, end });
  }
  return streams;
}

/** Searches for the rare word first, because streams are long. */
function hasObject(text: string, begin: number, end: number): boolean {
  for (let at = text.indexOf('obj', begin); at !== -1 && at < end; at = text.indexOf('obj', at + 1)) {
    if (OBJECT.test(text.slice(Math.max(begin, at - 32), at + 4))) return true;
  }
  return false;
}

function outsideOf(text: string, streams: readonly Stream[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { begin, end } of streams) {
    parts.push(text.slice(from, begin));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Some readers accept one without its type. */
const holdsObjects = ({ dictionary }: Stream): boolean => /\/(?:ObjStm|First)\b/.test(dictionary);
const isPassedOver = ({ dictionary }: Stream): boolean =>
  HOLDS_NO_TEXT.test(dictionary) && !/\/Form\b/.test(dictionary);

function assertPlain(structure: string): void {
  if (structure.includes('/Encrypt') || LONG_REPLACEMENT.test(structure)) throw new Unmeasurable();
  for (const [name] of structure.matchAll(ESCAPED_NAME)) {
    const plain = name.replaceAll(/#(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (KEYWORDS.has(plain)) throw new Unmeasurable();
  }
  for (const [, glyphs] of structure.matchAll(GLYPHS)) {
    if (glyphs === undefined || MANY_LETTERS_GLYPH.test(glyphs)) throw new Unmeasurable();
  }
}
