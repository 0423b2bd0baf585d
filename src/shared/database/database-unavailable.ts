import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { systemCode } from './system-code.js';

/** After which time somebody whom a database that does not answer stood in the way should ask again. */
export const DATABASE_RETRY_AFTER_MS = 1_000;

/** No way to the server, or the way broke: `ECONNREFUSED`, `EAI_AGAIN`, … */
const NETWORK_ERROR = /^(?:ECONN[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EAI_[A-Z]+|ENOTFOUND|ETIMEDOUT|EPIPE)$/;
/** Of SQLSTATE: connection exceptions, too many connections, and a server that is starting or stopping. */
const PASSING_STATE = /^(?:08...|53300|57P0[1235])$/;
/** The driver's own failures, which have no code; as they are, or as TypeORM retells them. */
const DRIVER_FAILURE =
  /^(?:timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/**
 * Whether an error means that the database cannot be reached at the moment (the server, the way to it, or a free
 * connection) rather than that something is wrong with what was asked of it. Such a failure may be gone in a moment.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  // What TypeORM says when the connection broke between two statements of a transaction.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const code = systemCode(error);
  // A server that listens on a socket file and is not up yet.
  if (code === 'ENOENT') return propertyOf(error, 'syscall') === 'connect';
  if (code !== undefined) return NETWORK_ERROR.test(code) || PASSING_STATE.test(code);
  const message = propertyOf(error, 'message');
  return typeof message === 'string' && DRIVER_FAILURE.test(message);
}

/** It does not ask for an `Error`: see `systemCode`. */
function propertyOf(error: unknown, name: 'message' | 'syscall'): unknown {
  return typeof error === 'object' && error !== null
    ? (error as Partial<Record<typeof name, unknown>>)[name]
    : undefined;
}
