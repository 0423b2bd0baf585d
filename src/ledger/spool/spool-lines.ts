import { hash } from 'node:crypto';
import type { Settlement } from '../settlement.js';

const NEWLINE = 0x0a;
/** 64 bits: they detect accidents, not attacks. */
const SUM_CHARACTERS = 16;
const LINE = /^\{"sum":"([0-9a-f]{16})","row":(.*)\}$/s;

/** The contents of a spool file. */
export interface SpoolReading<Row = Settlement> {
  readonly rows: readonly Row[];
  /** Lines that changed after they were written, as they are now, each with its line end. */
  readonly damaged: readonly Buffer[];
}

/** Prints the row as one line with a checksum. */
export function printSpoolLine(row: object): string {
  const json = JSON.stringify(row);
  return `{"sum":"${sumOf(json)}","row":${json}}\n`;
}

/**
 * Reads what `printSpoolLine` wrote. A truncated last line is left out: its write was never confirmed.
 */
export function readSpoolLines<Row = Settlement>(bytes: Buffer): SpoolReading<Row> {
  const rows: Row[] = [];
  const damaged: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const [, sum, json] = LINE.exec(bytes.toString('utf8', start, end)) ?? [];
    if (json !== undefined && sumOf(json) === sum) rows.push(JSON.parse(json) as Row);
    else if (newline !== -1) damaged.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return { rows, damaged };
}

const sumOf = (json: string): string => hash('sha256', json, 'hex').slice(0, SUM_CHARACTERS);
