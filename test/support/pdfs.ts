import { deflateSync } from 'node:zlib';

// Minimal PDFs that readers accept: a tree of pages, each with a content stream that shows text.

export interface PdfParts {
  /** The content of each page. */
  readonly pages: readonly string[];
  /** Whether content streams are compressed. Default true. */
  readonly packed?: boolean;
  /** Dictionaries are in a compressed stream of objects, as from most writers since 2003. */
  readonly objectStream?: boolean;
  /** Largest number of pages in a node. */
  readonly fanOut?: number;
  /** Further objects, by number from 1000 on: their text, including `stream` where they have one. */
  readonly more?: readonly string[];
  /** Entries of each page's dictionary. */
  readonly page?: string;
}

/** `<< … >> stream … endstream`. */
export function stream(content: string | Buffer, dictionary = '', packed = true): string {
  const bytes = packed ? deflateSync(content) : Buffer.from(content);
  const filter = packed ? '/Filter /FlateDecode ' : '';
  return `<< /Length ${bytes.length} ${filter}${dictionary}>>\nstream\n${bytes.toString('latin1')}\nendstream`;
}

/** Shows the text. */
export const show = (text: string): string => `BT /F1 12 Tf (${text}) Tj ET`;

export function pdf({
  pages,
  packed = true,
  objectStream = false,
  fanOut = 50,
  more = [],
  page = '',
}: PdfParts): Buffer {
  const dictionaries = new Map<number, string>([[1, '<< /Type /Catalog /Pages 2 0 R >>']]);
  const contents = new Map<number, string>();
  let next = 3;
  const leaves = pages.map((content) => {
    const [leaf, body] = [next++, next++];
    dictionaries.set(leaf, `<< /Type /Page /Contents ${body} 0 R ${page}>>`);
    contents.set(body, stream(content, '', packed));
    return leaf;
  });
  const node = (kids: readonly number[]): string =>
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`;
  const nodes: number[] = [];
  for (let from = 0; from < leaves.length; from += fanOut) {
    dictionaries.set(next, node(leaves.slice(from, from + fanOut)));
    nodes.push(next++);
  }
  dictionaries.set(2, node(nodes));
  const objects = new Map(contents);
  if (objectStream) {
    let bodies = '';
    let table = '';
    for (const [number, dictionary] of dictionaries) {
      table += `${number} ${bodies.length} `;
      bodies += `${dictionary}\n`;
    }
    objects.set(next++, stream(table + bodies, `/Type /ObjStm /N ${dictionaries.size} /First ${table.length} `));
  } else for (const [number, dictionary] of dictionaries) objects.set(number, dictionary);
  more.forEach((body, index) => objects.set(1_000 + index, body));
  const written = [...objects].map(([number, body]) => `${number} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.7\n${written.join('')}trailer << /Root 1 0 R >>\n%%EOF\n`, 'latin1');
}
