import { GatewayError } from '../core/errors.js';

/** The 400 that names a field, in the words of every other one: `path: reason`. */
export const invalid = (path: string, reason: string): GatewayError =>
  new GatewayError('invalid-request', `${path}: ${reason}`);
