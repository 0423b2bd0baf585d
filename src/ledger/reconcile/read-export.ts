import { createReadStream } from 'node:fs';
import { pluralize } from '../../core/text/pluralize.js';
import { FileRefused } from '../../shared/database/transfer/file-refused.js';
import { readCsvRows, type CsvRow } from './csv-rows.js';
import { EXPORT_FORMATS, FORMAT_NAMES, type ExportFormat, type FormatName } from './export-formats.js';
import { addTokens, CLASS_NAMES, noTokens, usageKey, withoutSnapshot, type TokenCounts } from './usage-classes.js';

/** Days of UTC, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Tokens of one day and model. */
export interface DayUsage {
  readonly day: string;
  /** The model without its snapshot. */
  readonly model: string;
  readonly tokens: TokenCounts;
}

/** The usage that a vendor has counted. */
export interface VendorUsage {
  readonly format: FormatName;
  /** Undefined: the file has no day. */
  readonly period: Period | undefined;
  readonly rows: number;
  /** The usage, by `usageKey`. */
  readonly usage: ReadonlyMap<string, DayUsage>;
}

/** Sums that are kept (chosen): a year of 1,000 models. */
const SUMS_MAX = 400_000;

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|\+00:00)?)?$/;
/** Spreadsheets write whole numbers with a fraction of zero. */
const WHOLE = /^(\d{1,15})(?:\.0+)?$/;
const MS_PER_SECOND = 1_000;

/**
 * Sums up a usage export by day and model while it is read: memory grows with days and models, not with rows.
 * @param format absent: recognised by the header
 * @throws FileRefused names the line, and the column where it is one
 */
export async function readExport(path: string, format: FormatName | undefined): Promise<VendorUsage> {
  return sumExport(readText(path), format);
}

async function* readText(path: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new FileRefused('The file is not UTF-8.');
    }
  };
  for await (const bytes of createReadStream(path)) yield decode(bytes as Buffer);
  yield decode();
}

/** Sums an export that is read as text. */
export async function sumExport(pieces: AsyncIterable<string>, format?: FormatName): Promise<VendorUsage> {
  let reader: RowReader | undefined;
  for await (const row of readCsvRows(pieces)) {
    if (reader) reader.take(row);
    else reader = new RowReader(row.cells, format ?? recognise(row.cells));
  }
  if (!reader) throw new FileRefused('The file is empty.');
  return reader.result();
}

/** @throws FileRefused */
function recognise(header: readonly string[]): FormatName {
  const name = FORMAT_NAMES.find((format) => header.includes(EXPORT_FORMATS[format].day.column));
  if (name === undefined) {
    const columns = FORMAT_NAMES.map((format) => `${EXPORT_FORMATS[format].day.column} (${format})`).join(', ');
    throw new FileRefused(`line 1: the header is of no known export: it has none of the columns ${columns}.`);
  }
  return name;
}

class RowReader {
  private readonly format: ExportFormat;
  /** The position of each column. */
  private readonly positions: ReadonlyMap<string, number>;
  private readonly usage = new Map<string, DayUsage>();
  private rows = 0;
  private from: string | undefined;
  private to: string | undefined;

  constructor(
    private readonly header: readonly string[],
    private readonly name: FormatName,
  ) {
    this.format = EXPORT_FORMATS[name];
    this.positions = new Map(header.map((column, index) => [column, index]));
    this.checkHeader();
  }

  take(row: CsvRow): void {
    const { header, format } = this;
    if (row.cells.length !== header.length) {
      throw new FileRefused(
        `line ${row.line}: ${pluralize(row.cells.length, 'cell')}, and the header has ${header.length}.`,
      );
    }
    this.rows++;
    const day = this.readDay(row);
    if (this.from === undefined || day < this.from) this.from = day;
    if (this.to === undefined || day > this.to) this.to = day;
    const model = this.cellOf(row, format.model);
    if (model === '') {
      // A stretch of time without usage.
      if (this.tokenColumns().every((column) => this.cellOf(row, column) === '')) return;
      throw refused(row, format.model, 'is empty: export the usage by model');
    }
    this.add(row, day, withoutSnapshot(model));
  }

  result(): VendorUsage {
    const { name: format, rows, usage, from, to } = this;
    return { format, rows, usage, period: from === undefined || to === undefined ? undefined : { from, to } };
  }

  private checkHeader(): void {
    const { header, format, positions } = this;
    if (positions.size < header.length) throw new FileRefused('line 1: the header has a column twice.');
    const read = [format.day.column, format.model, ...this.tokenColumns()];
    const absent = read.find((column) => !positions.has(column) && !format.optional.includes(column));
    if (absent !== undefined) {
      const isModel = absent === format.model ? ': export the usage by model' : '';
      throw new FileRefused(`line 1: the header has no column ${absent}${isModel} (${this.name}).`);
    }
    const unknownColumn = format.isClosed && header.find((column) => !read.includes(column));
    if (unknownColumn !== undefined)
      throw new FileRefused(`line 1: ${unknownColumn} is no column of the generic form.`);
  }

  private tokenColumns(): readonly string[] {
    return Object.values(this.format.tokens).map(({ column }) => column);
  }

  private cellOf({ cells }: CsvRow, column: string): string {
    const position = this.positions.get(column);
    return position === undefined ? '' : cells[position]!.trim();
  }

  private readDay(row: CsvRow): string {
    const { column, unit } = this.format.day;
    const text = this.cellOf(row, column);
    const day = unit === 'date' ? DATE.exec(text)?.[1] : dayOfSeconds(text);
    if (day === undefined || !isDay(day)) throw refused(row, column, `is no time: ${JSON.stringify(text)}`);
    return day;
  }

  private add(row: CsvRow, day: string, model: string): void {
    const key = usageKey(day, model);
    let sum = this.usage.get(key);
    if (!sum) {
      if (this.usage.size >= SUMS_MAX) {
        throw new FileRefused(`line ${row.line}: more than ${pluralize(SUMS_MAX, 'pair')} of a day and a model.`);
      }
      this.usage.set(key, (sum = { day, model, tokens: noTokens() }));
    }
    addTokens(sum.tokens, this.readTokens(row));
  }

  private readTokens(row: CsvRow): TokenCounts {
    const counts = noTokens();
    for (const name of CLASS_NAMES) {
      const columns = this.format.tokens[name];
      if (!columns) continue;
      const { column, less = [] } = columns;
      counts[name] = less.reduce((left, part) => left - this.readCount(row, part), this.readCount(row, column));
      if (counts[name] < 0n) throw refused(row, column, `is less than ${less.join(' and ')}, which it includes`);
    }
    return counts;
  }

  private readCount(row: CsvRow, column: string): bigint {
    if (!this.positions.has(column)) return 0n;
    const text = this.cellOf(row, column);
    const digits = WHOLE.exec(text)?.[1];
    if (digits === undefined) throw refused(row, column, `is no number of tokens: ${JSON.stringify(text)}`);
    return BigInt(digits);
  }
}

const refused = ({ line }: CsvRow, column: string, reason: string): FileRefused =>
  new FileRefused(`line ${line}, column ${column} ${reason}.`);

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

function dayOfSeconds(text: string): string | undefined {
  const seconds = Number(WHOLE.exec(text)?.[1] ?? NaN);
  return seconds <= SECONDS_MAX ? new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 10) : undefined;
}

/** Whether `YYYY-MM-DD` is a day of the calendar. */
export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
