import { Logger } from '@nestjs/common';
import { GatewayError, ProviderFault } from '../../core/errors.js';
import { APPEARANCES } from './error-views.js';

const logger = new Logger('errors');

/** Whatever was thrown, as the caller is told it. An unknown failure is one fixed sentence; the log has the rest. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) {
    if (APPEARANCES[thrown.kind].logLevel === 'error') logger.error(thrown);
    return thrown;
  }
  // A reply that was whole but cannot be printed: the attempt is over, nobody else can be tried.
  if (thrown instanceof ProviderFault)
    return new GatewayError('upstream-failed', thrown.message, {}, { cause: thrown });
  logger.error(thrown);
  return new GatewayError('internal', 'An internal error occurred; it has been logged.');
}
