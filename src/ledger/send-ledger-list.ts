import type { Response } from 'express';
import { printCursor, readCursor, type ListQuery } from '../shared/http/page-cursor.js';
import type { ListReplies } from '../shared/http/list-replies.js';
import type { ExportedRow } from '../shared/http/row-export.js';
import type { ListQueryDto } from './list-query.dto.js';
import { readAll, readPage, type ReadBatch, type ScannedRow } from './keyset-lists.js';

/** A list, and how it is shown. */
export interface AnsweredList<Row extends ScannedRow, View extends ExportedRow> {
  /** The list that a cursor belongs to. */
  readonly query: ListQuery;
  readonly read: ReadBatch<Row>;
  readonly view: (row: Row) => View;
  /** Names in `View`, in the order of a table. */
  readonly columns: readonly string[];
  readonly accountId: string;
  readonly replies: ListReplies;
}

/** Answers with one page as JSON, or in another format with everything. */
export async function answerList<Row extends ScannedRow, View extends ExportedRow>(
  response: Response,
  { cursor, limit, format }: ListQueryDto,
  { query, read, view, columns, accountId, replies }: AnsweredList<Row, View>,
): Promise<void> {
  const after = cursor === undefined ? undefined : readCursor(query, cursor);
  if (format === undefined) {
    const { rows, next } = await readPage(read, after, limit);
    response.json({ data: rows.map(view), next_cursor: next ? printCursor(query, next) : null });
    return;
  }
  await replies.export(response, { accountId, format, columns, batches: viewed(readAll(read, after), view) });
}

async function* viewed<Row, View>(
  batches: AsyncIterable<readonly Row[]>,
  view: (row: Row) => View,
): AsyncGenerator<readonly View[]> {
  for await (const batch of batches) yield batch.map(view);
}
