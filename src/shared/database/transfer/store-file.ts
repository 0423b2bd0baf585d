import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { systemCode } from '../system-code.js';
import { FileRefused } from './file-refused.js';

const FORMAT = 'fairlead-store';
/** Incremented when the file changes in a way that an older release cannot read. */
const FORMAT_VERSION = 1;

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1_048_576;
/** Far above any row; a file without line ends is not a store file. */
const LINE_BYTES_MAX = 67_108_864;
/** Rows passed on at a time. */
const GROUP_ROWS_MAX = 1_000;
const GROUP_BYTES_MAX = 1_048_576;

/** The description of a file before its rows. */
export interface StoreDescription {
  /** Names in the order in which they ran: the schema of the rows. */
  readonly migrations: readonly string[];
  /** Starts of the months with partitions, ISO 8601. */
  readonly months: readonly string[];
  /** Tables in the order of their rows, such that no row refers to a later one. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/**
 * Writes a store into a new file: a line that describes it, then a line of JSON for each row, table by table, then the
 * checksum of all that. It is readable only by its owner, and complete only once `finish` has resolved; end it with
 * that or `discard`.
 */
export class StoreFileWriter {
  private readonly sum = createHash('sha256');

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @throws FileRefused when the file exists already, or cannot be made */
  static async create(path: string): Promise<StoreFileWriter> {
    try {
      return new StoreFileWriter(path, await open(path, 'wx', 0o600));
    } catch (error) {
      if (systemCode(error) === 'EEXIST') throw new FileRefused(`${path} already exists: name a new file.`);
      throw new FileRefused(`${path} cannot be written (${systemCode(error)}).`);
    }
  }

  async describe({ migrations, months, tables }: StoreDescription): Promise<void> {
    await this.write([JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, migrations, months, tables })]);
  }

  /** @param lines without their ends */
  async write(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.sum.update(bytes);
    await this.file.appendFile(bytes);
  }

  async finish(): Promise<void> {
    await this.file.appendFile(`${JSON.stringify({ sha256: this.sum.digest('hex') })}\n`);
    await this.file.sync();
    await this.file.close();
    const folder = await open(dirname(this.path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}

/** Receives rows of one table, as lines of JSON. */
export type TakeRows = (table: string, rows: readonly string[]) => Promise<void>;

/**
 * Reads a file from its first line to its last, in small parts. Only when it resolves is the file known to be complete:
 * until then `take` must not do anything irreversible.
 * @throws FileRefused when it is not a store file, of a newer format, or damaged; and errors thrown by `take`
 */
export async function readStoreFile(path: string, take: TakeRows = async () => undefined): Promise<StoreDescription> {
  const reading = new StoreFileReader(path, take);
  for await (const lines of readLines(path)) for (const line of lines) await reading.read(line);
  return reading.end();
}

/** One pass over a file. */
class StoreFileReader {
  private readonly sum: Hash = createHash('sha256');
  private description: StoreDescription | undefined;
  /** The current table, and the number of its rows still to come. */
  private table = -1;
  private missing = 0;
  private group: string[] = [];
  private groupBytes = 0;
  private isWhole = false;

  constructor(
    private readonly path: string,
    private readonly take: TakeRows,
  ) {}

  async read(line: Buffer): Promise<void> {
    if (this.isWhole) throw this.damaged('goes on after its end');
    if (!this.description) {
      this.description = readDescription(this.path, line);
      this.nextTable();
    } else if (this.table === this.description.tables.length) {
      this.compareSum(line);
      return;
    } else {
      await this.takeRow(this.description.tables[this.table]!.name, line);
    }
    this.sum.update(line).update('\n');
  }

  end(): StoreDescription {
    if (!this.description) throw new FileRefused(`${this.path} is empty.`);
    if (!this.isWhole) throw this.damaged('is cut short');
    return this.description;
  }

  private async takeRow(table: string, line: Buffer): Promise<void> {
    this.group.push(line.toString());
    this.groupBytes += line.length;
    this.missing--;
    if (this.missing > 0 && this.group.length < GROUP_ROWS_MAX && this.groupBytes < GROUP_BYTES_MAX) return;
    const rows = this.group;
    this.group = [];
    this.groupBytes = 0;
    await this.take(table, rows);
    if (this.missing === 0) this.nextTable();
  }

  private nextTable(): void {
    const tables = this.description?.tables ?? [];
    while (this.missing === 0 && this.table < tables.length) this.missing = tables[++this.table]?.rows ?? 0;
  }

  private compareSum(line: Buffer): void {
    const trailer = parse(line);
    if (!isJsonObject(trailer) || trailer['sha256'] !== this.sum.digest('hex')) {
      throw this.damaged('was changed: its checksum differs');
    }
    this.isWhole = true;
  }

  private damaged(how: string): FileRefused {
    return new FileRefused(`${this.path} ${how}. Export the store again, or use another copy.`);
  }
}

function readDescription(path: string, line: Buffer): StoreDescription {
  const header = parse(line);
  if (!isJsonObject(header) || header['format'] !== FORMAT) {
    throw new FileRefused(`${path} is not a store that was exported by Fairlead.`);
  }
  const { version, migrations, months, tables } = header;
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new FileRefused(
      `${path} was written by a newer release: its format is ${version}, this one knows ${FORMAT_VERSION}.`,
    );
  }
  if (version !== FORMAT_VERSION || !isTexts(migrations) || !isTexts(months) || !isTables(tables)) {
    throw new FileRefused(`${path} has a damaged first line.`);
  }
  return { migrations, months, tables };
}

function parse(line: Buffer): Json {
  try {
    return JSON.parse(line.toString()) as Json;
  } catch {
    return null;
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const isTables = (value: unknown): value is StoreDescription['tables'] =>
  Array.isArray(value) &&
  value.every((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || !('rows' in entry)) return false;
    return typeof entry.name === 'string' && Number.isSafeInteger(entry.rows) && Number(entry.rows) >= 0;
  });

/**
 * The lines, without their ends, some at a time. By bytes, because other readers also end a line at characters that a
 * row may contain. Text after the last line end is dropped: then the file's end marker is missing.
 */
async function* readLines(path: string): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of readChunks(path)) {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...rest, chunk.subarray(start, end)]));
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > LINE_BYTES_MAX) throw new FileRefused(`${path} is not a store that was exported by Fairlead.`);
    yield lines;
  }
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new FileRefused(`${path} cannot be read (${systemCode(error)}).`);
  }
}
