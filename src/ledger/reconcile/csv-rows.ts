import { pluralize } from '../../core/text/pluralize.js';
import { FileRefused } from '../../shared/database/transfer/file-refused.js';

/** A row of a csv file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Characters of one cell (chosen): a quote that is never closed must not fill the memory. */
const CELL_MAX = 10_000;
/** Cells of one row (chosen). */
const CELLS_MAX = 1_000;

const QUOTE = '"';

/**
 * The rows of a csv file by RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180, read 2026-11-29), as they are read: cells
 * with commas, quotes or line breaks are quoted, and lines end with LF or CRLF. Empty lines are left out.
 * @throws FileRefused names the line
 */
export async function* readCsvRows(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow, void> {
  const reader = new CsvReader();
  for await (const piece of pieces) yield* reader.push(piece);
  yield* reader.end();
}

/** The field that the next character belongs to. */
type State = 'cell begins' | 'plain' | 'quoted' | 'quote in quoted' | 'carriage return';

class CsvReader {
  private state: State = 'cell begins';
  private cell = '';
  private cells: string[] = [];
  private line = 1;
  private beganAt = 1;

  push(piece: string): CsvRow[] {
    const rows: CsvRow[] = [];
    for (const character of piece) {
      this.take(character, rows);
      if (character === '\n') this.line++;
      if (this.cells.length === 0 && this.cell === '' && this.state === 'cell begins') this.beganAt = this.line;
    }
    return rows;
  }

  end(): CsvRow[] {
    if (this.state === 'quoted') this.refuse('a quote is not closed');
    if (this.state === 'carriage return') this.refuse('a carriage return is not followed by a line feed');
    const rows: CsvRow[] = [];
    if (this.cells.length > 0 || this.state !== 'cell begins') this.endRow(rows);
    return rows;
  }

  private take(character: string, rows: CsvRow[]): void {
    switch (this.state) {
      case 'quoted':
        if (character === QUOTE) this.state = 'quote in quoted';
        else this.add(character);
        return;
      case 'carriage return':
        if (character !== '\n') this.refuse('a carriage return is not followed by a line feed');
        this.endRow(rows);
        return;
      case 'quote in quoted':
        if (character === QUOTE) {
          this.state = 'quoted';
          this.add(character);
          return;
        }
        if (character !== ',' && character !== '\r' && character !== '\n') this.refuse('text follows a closed quote');
        break;
      case 'cell begins':
        if (character === QUOTE) {
          this.state = 'quoted';
          return;
        }
        break;
      case 'plain':
        if (character === QUOTE) this.refuse('a cell that is not quoted contains a quote');
    }
    this.takeBare(character, rows);
  }

  /** A character outside of quotes. */
  private takeBare(character: string, rows: CsvRow[]): void {
    if (character === ',') this.endCell();
    else if (character === '\n') this.endRow(rows);
    else if (character === '\r') this.state = 'carriage return';
    else {
      this.state = 'plain';
      this.add(character);
    }
  }

  private add(character: string): void {
    if (this.cell.length >= CELL_MAX) this.refuse(`a cell is longer than ${pluralize(CELL_MAX, 'character')}`);
    this.cell += character;
  }

  private endCell(): void {
    if (this.cells.length >= CELLS_MAX) this.refuse(`the row has more than ${pluralize(CELLS_MAX, 'cell')}`);
    this.cells.push(this.cell);
    this.cell = '';
    this.state = 'cell begins';
  }

  private endRow(rows: CsvRow[]): void {
    this.endCell();
    const { cells, beganAt } = this;
    this.cells = [];
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: beganAt, cells });
  }

  private refuse(reason: string): never {
    throw new FileRefused(`line ${this.line}: ${reason}.`);
  }
}
