import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Environment } from '../environment.js';
import { ExportSlots } from './export-slots.js';
import type { ExportedPageDto } from './exported-page.dto.js';
import type { ListPart, Page } from './page.dto.js';
import { EXPORT_TYPES, printRows, sendPieces, type ExportedRow, type ExportFormat } from './row-export.js';
import { schemaNamed, type Static, type TSchema } from './schema.js';

/** Rows that are read at once for an export. Chosen: those of the largest page, as a row may have a megabyte. */
export const EXPORT_BATCH = 100;

/** A list whose pages are requested by offsets. */
export interface ListedPart<View extends TSchema> {
  readonly accountId: string;
  /** The titled view of one entry. */
  readonly view: View;
  readonly read: (page: Page) => Promise<ListPart<Static<View>>>;
  /** Rows that an export reads at once, where they are short and each reading costs as much as the whole list. */
  readonly batch?: number;
}

/** Rows in the order of the list. */
export interface ExportedRows<Row extends ExportedRow> {
  readonly accountId: string;
  readonly format: ExportFormat;
  /** The columns of csv, as the JSON names them. */
  readonly columns: readonly string[];
  readonly batches: AsyncIterable<readonly Row[]>;
}

/** Replies with lists: a page, or everything at the pace of its reader. */
@Injectable()
export class ListReplies {
  constructor(
    private readonly slots: ExportSlots,
    private readonly environment: Environment,
  ) {}

  /** Sends one page as JSON, or in another format everything. */
  async sendPart<View extends TSchema>(
    response: Response,
    { offset, limit, format }: ExportedPageDto,
    { accountId, view, read, batch = EXPORT_BATCH }: ListedPart<View>,
  ): Promise<void> {
    if (format !== undefined) {
      const batches = readParts(read, batch) as AsyncIterable<readonly ExportedRow[]>;
      await this.export(response, { accountId, format, columns: columnsOf(view), batches });
      return;
    }
    const [data, total] = await read({ offset, limit });
    response.json({ data, total_count: total });
  }

  /** @throws GatewayError `rate-limited` where too many exports run */
  async export<Row extends ExportedRow>(
    response: Response,
    { accountId, format, columns, batches }: ExportedRows<Row>,
  ): Promise<void> {
    await this.send(response, accountId, EXPORT_TYPES[format], printRows(format, columns, batches));
  }

  /** @throws GatewayError `rate-limited` where too many exports run */
  async send(response: Response, accountId: string, type: string, pieces: AsyncIterable<string>): Promise<void> {
    const { stallMs } = this.environment.timeouts;
    await this.slots.hold(accountId, () => sendPieces(response, type, pieces, stallMs));
  }
}

/** The fields of a titled view, in the order of a table. */
export const columnsOf = (view: TSchema): readonly string[] =>
  Object.keys(schemaNamed(view.$ref as string)!['properties'] as object);

/** All of a list, each part behind the last entry of the one before: what changes meanwhile moves nothing out of it. */
async function* readParts<View>(
  read: (page: Page) => Promise<ListPart<View>>,
  batch: number,
): AsyncGenerator<readonly View[]> {
  let after: Page['after'];
  for (let offset = 0; ; offset += batch) {
    const [views, , last] = await read({ offset, limit: batch, after });
    if (views.length > 0) yield views;
    if (views.length < batch) return;
    after = last;
  }
}
