import { errors } from 'undici';
import { ProviderFault, type FaultDetail } from '../core/errors.js';
import { ProxyRefused } from '../shared/http/proxy-tunnel.js';
import { ConnectTimedOut } from './connection.js';

/** Why no response came. The messages are fixed sentences: what the system says names addresses. */
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
  return fault('unreachable', 'The provider could not be reached.', error);
}

/** Why a response broke off after its head. */
export function faultInReply(error: Error): ProviderFault {
  return fault('malformed-reply', 'The provider closed the connection in mid-reply.', error, { isCut: true });
}

function fault(kind: ProviderFault['kind'], message: string, cause: Error, detail: FaultDetail = {}): ProviderFault {
  return new ProviderFault(kind, message, detail, { cause });
}
