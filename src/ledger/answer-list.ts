import type { Response } from 'express';
import { printCursor, readCursor, type ListQuery } from '../shared/http/page-cursor.js';
import { EXPORT_TYPES, printRows, sendPieces, type ExportedRow } from '../shared/http/row-export.js';
import type { ExportPlaces } from './export-places.js';
import type { ListQueryDto } from './list-query.dto.js';
import { readAll, readPage, type ReadBatch, type ScannedRow } from './newest-first.js';

/** A list, and how it is shown. */
export interface AnsweredList<Row extends ScannedRow, View extends ExportedRow> {
  /** What a cursor of it belongs to. */
  readonly query: ListQuery;
  readonly read: ReadBatch<Row>;
  readonly view: (row: Row) => View;
  /** Names in `View`, in the order of a table. */
  readonly columns: readonly string[];
  readonly accountId: string;
  readonly places: ExportPlaces;
  /** A client that takes no byte for this long counts as gone, in milliseconds. */
  readonly stallMs: number;
}

/** Answers with one page as JSON, or in another format with everything. */
export async function answerList<Row extends ScannedRow, View extends ExportedRow>(
  response: Response,
  { cursor, limit, format }: ListQueryDto,
  { query, read, view, columns, accountId, places, stallMs }: AnsweredList<Row, View>,
): Promise<void> {
  const after = cursor === undefined ? undefined : readCursor(query, cursor);
  if (format === undefined) {
    const { rows, next } = await readPage(read, after, limit);
    response.json({ data: rows.map(view), next_cursor: next ? printCursor(query, next) : null });
    return;
  }
  const batches = viewed(readAll(read, after), view);
  const pieces = printRows(format, columns, batches);
  await places.hold(accountId, () => sendPieces(response, EXPORT_TYPES[format], pieces, stallMs));
}

async function* viewed<Row, View>(
  batches: AsyncIterable<readonly Row[]>,
  view: (row: Row) => View,
): AsyncGenerator<readonly View[]> {
  for await (const batch of batches) yield batch.map(view);
}
