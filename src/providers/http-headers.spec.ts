/**
 * Goal: only listed headers and the credential's reach a provider. Method: tables.
 */
import { outgoingHeaders } from './http-headers.js';

describe('outgoingHeaders', () => {
  it('lets the dialect’s listed headers pass, adds its own and the credential’s', () => {
    const dialect = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };
    expect(outgoingHeaders(dialect, { 'x-api-key': 'key' })).toEqual({
      ...dialect,
      'accept-encoding': 'identity',
      'user-agent': 'fairlead/1.0',
      'x-api-key': 'key',
    });
  });

  it.each([
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'authorization',
    'cookie',
    'x-forwarded-for',
    '__proto__',
  ])('keeps %s back', (name) => {
    const headers = outgoingHeaders(Object.fromEntries([[name, 'x']]), {});
    expect(Object.keys(headers)).toEqual(['content-type', 'accept-encoding', 'user-agent']);
  });

  it.each(['accept-encoding', 'user-agent'])('keeps its own %s', (name) => {
    expect(outgoingHeaders({ [name]: 'x' }, {})).toEqual(outgoingHeaders({}, {}));
  });
});
