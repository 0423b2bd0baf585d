import { ProviderFault } from '../core/errors.js';
import { ConnectTimedOut } from './connection.js';

/** Errors of undici that mean: what came is not HTTP. */
const NOT_HTTP = /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH|RES_EXCEEDED_MAX_SIZE)$)/;

/** Why no response came. The messages are fixed sentences: what the system says names addresses. */
export function faultBeforeReply(error: Error): ProviderFault {
  const code = codeOf(error);
  if (error instanceof ConnectTimedOut) {
    return fault('timed-out', `The provider did not accept a connection within ${error.timeoutMs} ms.`, error);
  }
  if (code === 'ETIMEDOUT') return fault('timed-out', 'The provider did not accept a connection in time.', error);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return fault('rejected-request', 'The call to the provider has a header that HTTP cannot carry.', error);
  }
  if (NOT_HTTP.test(code)) return fault('malformed-reply', 'The provider did not answer in valid HTTP.', error);
  return fault('unreachable', 'The provider could not be reached.', error);
}

/** Why a response broke off after its head. */
export function faultInReply(error: Error): ProviderFault {
  return fault('malformed-reply', 'The provider closed the connection in mid-reply.', error);
}

function fault(kind: ProviderFault['kind'], message: string, cause: Error): ProviderFault {
  return new ProviderFault(kind, message, {}, { cause });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
