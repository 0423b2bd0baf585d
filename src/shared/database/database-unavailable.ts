import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { systemCode } from './system-code.js';

/** Retry hint for a request that failed because the database did not answer. */
export const DATABASE_RETRY_AFTER_MS = 1_000;

/** The server is unreachable, or the connection broke: `ECONNREFUSED`, `EAI_AGAIN`, … */
const NETWORK_ERROR = /^(?:ECONN[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EAI_[A-Z]+|ENOTFOUND|ETIMEDOUT|EPIPE)$/;
/** SQLSTATE: connection exceptions, too many connections, and a server that is starting or stopping. */
const PASSING_STATE = /^(?:08...|53300|57P0[1235])$/;
/** The driver's own failures, which have no code; unchanged, or as worded by TypeORM. */
const DRIVER_FAILURE =
  /^(?:timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/**
 * Whether an error means that the database cannot be reached at the moment (the server, the network, or a free
 * connection) rather than that the statement is faulty. Such a failure may be temporary.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  // Thrown by TypeORM when the connection broke between two statements of a transaction.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const code = systemCode(error);
  // A server that listens on a socket file and has not started yet.
  if (code === 'ENOENT') return propertyOf(error, 'syscall') === 'connect';
  if (code !== undefined) return NETWORK_ERROR.test(code) || PASSING_STATE.test(code);
  const message = propertyOf(error, 'message');
  return typeof message === 'string' && DRIVER_FAILURE.test(message);
}

/** Does not require an `Error`: see `systemCode`. */
function propertyOf(error: unknown, name: 'message' | 'syscall'): unknown {
  return typeof error === 'object' && error !== null
    ? (error as Partial<Record<typeof name, unknown>>)[name]
    : undefined;
}
