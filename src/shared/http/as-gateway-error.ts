import { Logger } from '@nestjs/common';
import { GatewayError } from '../../core/errors.js';
import { ENDINGS } from '../../core/generation/ending.js';
import { DATABASE_RETRY_AFTER_MS, isDatabaseUnavailable } from '../database/database-unavailable.js';

const logger = new Logger('errors');

/**
 * Converts any thrown value to an error for the caller. An unknown failure becomes one fixed sentence; the log has the
 * details.
 */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) {
    if (ENDINGS[thrown.kind].logLevel === 'error') logger.error(thrown);
    return thrown;
  }
  if (isDatabaseUnavailable(thrown)) {
    logger.warn('The database cannot be reached.', thrown);
    const message = 'The database cannot be reached at the moment; try again shortly.';
    return new GatewayError(
      'service-unavailable',
      message,
      { retryAfterMs: DATABASE_RETRY_AFTER_MS },
      { cause: thrown },
    );
  }
  logger.error(thrown);
  return new GatewayError('internal', 'An internal error occurred; it has been logged.');
}
