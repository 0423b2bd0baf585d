// Rows are the same however the file is cut into pieces, and what is no csv is refused with its line. Method: texts,
// whole and by single characters.
import { readCsvRows } from './csv-rows.js';

async function* cut(text: string, size: number): AsyncGenerator<string, void> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const rowsOf = async (text: string, size = text.length + 1): Promise<[line: number, ...cells: string[]][]> => {
  const rows: [number, ...string[]][] = [];
  for await (const { line, cells } of readCsvRows(cut(text, size))) rows.push([line, ...cells]);
  return rows;
};

it.each<[string, string, [number, ...string[]][]]>([
  ['plain cells', 'a,b\n1,2\n', [[1, 'a', 'b'], [2, '1', '2']]], // oxfmt-ignore
  ['no line feed at the end', 'a,b\n1,', [[1, 'a', 'b'], [2, '1', '']]], // oxfmt-ignore
  ['CRLF and empty lines', 'a\r\n\r\nb\r\n\n', [[1, 'a'], [3, 'b']]], // oxfmt-ignore
  ['quotes, commas and line breaks in quotes', '"a,""b""","c\r\nd"\ne,"",\n', [[1, 'a,"b"', 'c\r\nd'], [3, 'e', '', '']]], // oxfmt-ignore
  ['nothing', '', []],
])('reads %s', async (_, text, rows) => {
  expect(await rowsOf(text)).toEqual(rows);
  expect(await rowsOf(text, 1)).toEqual(rows);
});

it.each([
  ['a quote that is not closed', 'a\n"b\n', 'line 3: a quote is not closed.'],
  ['text behind a quote', 'a\n\n"b"c', 'line 3: text follows a closed quote.'],
  ['a quote within a cell', 'a\nb"c', 'line 2: a cell that is not quoted contains a quote.'],
  ['a carriage return alone', 'a\rb', 'line 1: a carriage return is not followed by a line feed.'],
  ['a carriage return at the end', 'a\r', 'line 1: a carriage return is not followed by a line feed.'],
  ['a cell without end', `"${'x'.repeat(10_001)}`, 'line 1: a cell is longer than 10,000 characters.'],
  ['a row without end', ','.repeat(1_001), 'line 1: the row has more than 1,000 cells.'],
])('refuses %s', async (_, text, message) => {
  await expect(rowsOf(text)).rejects.toThrow(new Error(message));
  await expect(rowsOf(text, 1)).rejects.toThrow(new Error(message));
});
