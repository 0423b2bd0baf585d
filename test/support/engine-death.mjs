// Loaded before a gateway: at SIGUSR2 the next statement of its embedded engine finds no room for the log. On a disk
// that is full it really is so; with ENGINE_DEATH=told the engine only says it.
import { PGlite } from '@electric-sql/pglite';
import { serialize } from 'pg-protocol';

const PANIC = {
  name: 'error',
  severity: 'PANIC',
  code: '53100',
  message: 'could not write to file "pg_wal/xlogtemp.42": No space left on device',
};
/** More than its log has files for. */
const LONG = serialize.query(`select pg_logical_emit_message(false, 'test', repeat('x', 80000000))`);

let isAsked = false;
process.on('SIGUSR2', () => (isAsked = true));
const execute = Object.getOwnPropertyDescriptor(PGlite.prototype, 'execProtocolStream').value;
PGlite.prototype.execProtocolStream = function (piece, options) {
  if (!isAsked) return execute.call(this, piece, options);
  isAsked = false;
  if (process.env.ENGINE_DEATH === 'told') return Promise.resolve([PANIC]);
  return execute.call(this, LONG, options);
};
