// An unreachable database is distinguished from a refused statement. Tables of the errors of system, server and driver.
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable.js';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('text'), { code, ...more });
const wrapped = (error: Error): Error => new QueryFailedError('select secret', [], error);

const GONE: readonly (readonly [string, Error])[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE']
    .map((code) => [code, coded(code)] as const),
  ...['08000', '08001', '08006', '08P01', '53300', '57P01', '57P02', '57P03', '57P05']
    .map((code) => [`SQLSTATE ${code}`, coded(code)] as const),
  ...[
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ].map((message) => [message, new Error(message)] as const),
  ['a socket file that is not there yet', coded('ENOENT', { syscall: 'connect' })],
]; // oxfmt-ignore

it.each(GONE)('treats %s as an outage, unchanged and as worded by TypeORM', (_, error) => {
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(isDatabaseUnavailable(wrapped(error))).toBe(true);
});

it('treats a connection that broke between two statements of a transaction as an outage', () => {
  expect(isDatabaseUnavailable(new QueryRunnerAlreadyReleasedError())).toBe(true);
});

it.each([
  ['a duplicate key', coded('23505')],
  ['a missing table', coded('42P01')],
  ['a missing database', coded('3D000')],
  ['a wrong password', coded('28P01')],
  ['a deadlock', coded('40P01')],
  ['a cancelled statement', coded('57014')],
  ['a missing file', coded('ENOENT', { syscall: 'open' })],
  ['a full disk', coded('ENOSPC')],
  ['a bug', new TypeError('Cannot read properties of undefined')],
  ['a bug that quotes an outage', new Error('x: Connection terminated')],
  ['a text', 'ECONNREFUSED'],
  ['nothing', undefined],
  ['null', null],
])('does not treat %s as one', (_, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false);
  if (error instanceof Error) expect(isDatabaseUnavailable(wrapped(error))).toBe(false);
});
