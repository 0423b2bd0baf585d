import { errors } from 'undici';
import { ProviderFault, type FaultDetail } from '../../core/errors.js';
import { systemErrorOf } from '../../core/system-error.js';
import { ProxyRefused } from '../../shared/http/client/proxy-tunnel.js';
import { ConnectTimedOut } from './connection.js';

/** Why no response came. The messages are fixed sentences: the system's own messages contain addresses. */
export function faultBeforeReply(error: Error): ProviderFault {
  if (error instanceof ConnectTimedOut) {
    return fault('timed-out', `The provider did not accept a connection within ${error.timeoutMs} ms.`, error);
  }
  if ('code' in error && error.code === 'ETIMEDOUT') {
    return fault('timed-out', 'The provider did not accept a connection in time.', error);
  }
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) {
    return fault('rejected-request', 'The call to the provider has a header that HTTP cannot carry.', error);
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return fault('malformed-reply', 'The provider did not answer in valid HTTP.', error);
  }
  if (error instanceof ProxyRefused) {
    return fault('unreachable', 'The proxy before the provider refused the connection.', error);
  }
  return fault('unreachable', `The provider could not be reached${causeOf(error)}.`, error);
}

const CLOSED = 'it closed the connection before it answered';
const NO_ROUTE = 'there is no route to it';

/** Codes of the system and of undici as text. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
};
const CERTIFICATE = /CERT|SIGNATURE|ISSUER/;

/** Empty where the cause is unknown. */
function causeOf(error: Error): string {
  const code = systemErrorOf({ cause: error })?.code ?? '';
  const cause = CERTIFICATE.test(code) ? 'its certificate is not accepted' : CAUSES[code];
  return cause === undefined ? '' : `: ${cause}`;
}

/** Why a response ended before its body was complete. */
export function faultInReply(error: Error): ProviderFault {
  return fault('malformed-reply', 'The provider closed the connection during its reply.', error, { isCut: true });
}

function fault(kind: ProviderFault['kind'], message: string, cause: Error, detail: FaultDetail = {}): ProviderFault {
  return new ProviderFault(kind, message, detail, { cause });
}
