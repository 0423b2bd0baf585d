import { GatewayError } from '../../core/errors.js';

/** The 400 that names a field, in the form of all others: `path: reason`. */
export const invalidField = (path: string, reason: string): GatewayError =>
  new GatewayError('invalid-request', `${path}: ${reason}`);
