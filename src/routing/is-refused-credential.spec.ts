// Refusals of the operator's credential are distinguished from those of a caller's credential and of the request.
// Tables of faults.
import { ProviderFault, type FaultDetail, type FaultKind } from '../core/errors.js';
import type { Leg } from '../core/routing/plan.js';
import { isOperatorsRefusal } from './is-refused-credential.js';

const by = (credential: string): Leg => ({ credential }) as Leg;

const REFUSALS: readonly (readonly [FaultKind, string, FaultDetail])[] = [
  ['refused-credential', 'invalid x-api-key', { status: 401 }],
  ['refused-credential', 'Anything.', { status: 401 }],
  // An error in a stream has no status.
  ['refused-credential', 'Anything.', {}],
  ['refused-credential', 'Incorrect API key provided: x***y.', { status: 400 }],
  ['refused-credential', 'The security token included in the request is invalid.', { status: 403 }],
  ['refused-credential', 'No.', { status: 403, providerCode: 'invalid_api_key' }],
  ['refused-credential', 'Your API key does not have permission to use the specified resource.', { status: 403 }],
  ['refused-credential', 'This organization has been disabled.', { status: 403 }],
  ['refused-credential', 'Invalid credentials', { status: 403 }],
  ['refused-credential', 'Invalid authentication token.', { status: 403 }],
  ['refused-credential', 'Incorrect key', { status: 403 }],
  ['refused-credential', 'Authentication failed.', { status: 403 }],
  ['refused-credential', 'Project `proj_x` does not have access to model `m`.', { status: 403 }],
  ['refused-credential', 'Token expired', { status: 403 }],
  ['refused-credential', 'The token is invalid.', { status: 403 }],
  ['refused-credential', 'Your key has been revoked', { status: 403 }],
  ['refused-credential', 'API token invalid', { status: 403 }],
  ['refused-credential', 'Your account is not active, please check.', { status: 403 }],
  ['refused-credential', 'Your account has\nbeen disabled', { status: 403 }],
  ['refused-credential', 'Insufficient account balance', { status: 403 }],
  ['refused-credential', 'Not enough credits', { status: 403 }],
  ['refused-credential', 'The team has used all available credits.', { status: 403 }],
  ['payment-required', 'Add credits.', { status: 402 }],
];

describe('isOperatorsRefusal', () => {
  it.each(REFUSALS)('recognises %s, %j, %j', (kind, message, detail) => {
    const fault = new ProviderFault(kind, message, detail);
    expect([isOperatorsRefusal(fault, by('shared')), isOperatorsRefusal(fault, by('own-1'))]).toEqual([true, false]);
  });

  it.each([
    ['refused-credential', 'The prompt was flagged.', { status: 403 }],
    ['refused-credential', 'The account number in your prompt was blocked by the content filter.', { status: 403 }],
    ['refused-credential', 'Requests about this project were blocked by moderation.', { status: 403 }],
    ['refused-credential', 'Blocked: the prompt contains an API key.', { status: 403 }],
    ['refused-credential', 'Your input contains an invalid token at position 5.', { status: 403 }],
    ['refused-credential', 'Access denied.', { status: 403 }],
    ['refused-credential', 'The model may not be asked for the token counts of accounts.', { status: 403 }],
    ['rate-limited', 'Slow down.', { status: 429 }],
    ['unreachable', 'The provider could not be reached.', {}],
  ] as const)('passes %s, %j, %j on', (kind, message, detail) => {
    expect(isOperatorsRefusal(new ProviderFault(kind, message, detail), by('shared'))).toBe(false);
  });
});
