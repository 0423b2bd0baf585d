import { hash } from 'node:crypto';
import type { Settlement } from './settlement.js';

const NEWLINE = 0x0a;
/** 64 bits: they recognise accidents, nobody's intent. */
const SUM_CHARACTERS = 16;
const LINE = /^\{"sum":"([0-9a-f]{16})","row":(.*)\}$/s;

/** What the bytes of a spool's file hold. */
export interface SpoolReading<Row = Settlement> {
  readonly rows: readonly Row[];
  /** Lines that were changed after they had been written, as they are now, each with its end. */
  readonly damaged: readonly Buffer[];
}

/** The row as a line of its own, with a checksum. */
export function printSpoolLine(row: object): string {
  const json = JSON.stringify(row);
  return `{"sum":"${sumOf(json)}","row":${json}}\n`;
}

/**
 * Reads what `printSpoolLine` wrote. A last line that is cut short is left out: whoever wrote it was
 * never told that it is kept.
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
