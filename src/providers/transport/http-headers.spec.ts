/**
 * Goal: only listed headers and those of the platform reach a provider. Method: tables.
 */
import { addAuthorisation, outgoingHeaders } from './http-headers.js';

const OWN = { 'accept-encoding': 'identity', 'user-agent': 'fairlead/1.0' };

describe('outgoingHeaders', () => {
  it('lets the dialect’s listed headers pass and adds its own', () => {
    const dialect = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };
    expect(outgoingHeaders(dialect)).toEqual({ ...dialect, ...OWN });
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
    const headers = outgoingHeaders(Object.fromEntries([[name, 'x']]));
    expect(Object.keys(headers)).toEqual(['content-type', 'accept-encoding', 'user-agent']);
  });

  it('states how many fusions the request is part of, and no dialect does', () => {
    expect(outgoingHeaders({}, 2)).toEqual({ ...outgoingHeaders({}), 'x-openrouter-fusion-depth': '2' });
    expect(outgoingHeaders({ 'x-openrouter-fusion-depth': '2' })).toEqual(outgoingHeaders({}));
  });

  it.each(['accept-encoding', 'user-agent'])('keeps its own %s', (name) => {
    expect(outgoingHeaders({ [name]: 'x' })).toEqual(outgoingHeaders({}));
  });
});

describe('addAuthorisation', () => {
  it('adds the platform’s headers after the list, and they replace those of the same name', () => {
    const headers = outgoingHeaders({ accept: 'text/event-stream' });
    addAuthorisation(headers, { authorization: 'Bearer key', 'x-date': 'today', accept: 'application/octet-stream' });
    expect(headers).toEqual({
      ...outgoingHeaders({}),
      accept: 'application/octet-stream',
      authorization: 'Bearer key',
      'x-date': 'today',
    });
  });

  it.each(['host', 'connection', 'content-length', 'transfer-encoding', 'te', 'upgrade', 'expect'])(
    'leaves %s to the transport',
    (name) => {
      const headers = outgoingHeaders({});
      addAuthorisation(headers, { [name]: 'x' });
      expect(headers).toEqual(outgoingHeaders({}));
    },
  );
});
