import { once } from 'node:events';
import type { Response } from 'express';
import { StallWatch } from './server/stall-watch.js';

/** Formats of a list that is sent as a whole. */
export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A row as it is shown as JSON. */
export type ExportedRow = Readonly<Record<string, unknown>>;

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/**
 * The beginnings that a spreadsheet reads as a formula, the full-width forms included
 * (https://owasp.org/www-community/attacks/CSV_Injection, read 2026-11-29).
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const QUOTES = /"/g;

/** One value as a cell: empty for null, texts quoted, lists and objects as JSON. */
export function printCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${FORMULA.test(text) ? "'" : ''}${text.replace(QUOTES, '""')}"`;
}

/** The pieces of a list in this format, one for each batch of rows. @param columns of csv, as the JSON names them */
export async function* printRows<View extends ExportedRow>(
  format: ExportFormat,
  columns: readonly string[],
  batches: AsyncIterable<readonly View[]>,
): AsyncGenerator<string, void> {
  const printRow =
    format === 'csv'
      ? (row: ExportedRow): string => `${columns.map((name) => printCell(row[name])).join(',')}\n`
      : (row: ExportedRow): string => `${JSON.stringify(row)}\n`;
  let head = format === 'csv' ? `${columns.join(',')}\n` : '';
  for await (const batch of batches) {
    yield head + batch.map(printRow).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/**
 * Sends the pieces as fast as the client reads: none is requested while the socket is full. A client that leaves, or
 * takes no byte for `stallMs`, ends the source. A failure before the first piece is thrown; one after it cuts the
 * connection, because the status has been sent and the rest must not look complete.
 */
export async function sendPieces(
  response: Response,
  contentType: string,
  pieces: AsyncIterable<string>,
  stallMs: number,
): Promise<void> {
  const stall = new StallWatch(response, stallMs);
  for await (const piece of pieces) {
    if (response.destroyed) return;
    begin(response, contentType);
    if (response.req.method === 'HEAD') break;
    if (piece === '' || response.write(piece)) continue;
    stall.start();
    await writable(response);
    stall.stop();
  }
  if (response.destroyed) return;
  begin(response, contentType);
  response.end();
  stall.start();
}

function begin(response: Response, contentType: string): void {
  if (!response.headersSent) response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
}

/** Resolves when the socket takes more, or is closed. */
async function writable(response: Response): Promise<void> {
  if (response.destroyed) return;
  const over = new AbortController();
  const options = { signal: over.signal };
  try {
    await Promise.race([once(response, 'drain', options), once(response, 'close', options)]);
  } finally {
    over.abort();
  }
}
