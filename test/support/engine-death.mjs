// Loaded before a gateway: at SIGUSR2 the next statement of its embedded engine finds no space for the log. On a full
// disk this really happens; with ENGINE_DEATH=reported the engine only reports it.
import { PGlite } from '@electric-sql/pglite';
import { serialize } from 'pg-protocol';

const PANIC = {
  name: 'error',
  severity: 'PANIC',
  code: '53100',
  message: 'could not write to file "pg_wal/xlogtemp.42": No space left on device',
};
/** More than fits into the files of its log. */
const LONG = serialize.query(`select pg_logical_emit_message(false, 'test', repeat('x', 80000000))`);

let isRequested = false;
process.on('SIGUSR2', () => (isRequested = true));
const execute = Object.getOwnPropertyDescriptor(PGlite.prototype, 'execProtocolStream').value;
PGlite.prototype.execProtocolStream = function (piece, options) {
  if (!isRequested) return execute.call(this, piece, options);
  isRequested = false;
  if (process.env.ENGINE_DEATH === 'reported') return Promise.resolve([PANIC]);
  return execute.call(this, LONG, options);
};
