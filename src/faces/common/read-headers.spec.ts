/**
 * A table of names and values of the header, which is parsed leniently (docs/use/routing-metadata.md#the-header) and
 * never refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { readRequestHeaders, wantsRouterMetadata } from './read-headers.js';

const NAMES = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
];

describe('wantsRouterMetadata', () => {
  it.each(NAMES)('is requested by %s', (name) => {
    expect(wantsRouterMetadata({ [name]: 'enabled' })).toBe(true);
  });

  it.each(['ENABLED', 'Enabled', ' enabled ', '\tenabled', 'enabled, enabled', 'disabled, enabled'])(
    'is requested by the value %j',
    (value) => {
      expect(wantsRouterMetadata({ 'x-router-metadata': value })).toBe(true);
    },
  );

  it.each(['', ' ', 'disabled', 'true', '1', 'yes', 'enable', 'enabled;', 'enabledx', 'not enabled', '{"a":1}'])(
    'is not requested by the value %j',
    (value) => {
      expect(wantsRouterMetadata({ 'x-router-metadata': value })).toBe(false);
    },
  );

  it.each<[string, IncomingHttpHeaders]>([
    ['no header', {}],
    ['another name', { 'x-router-metadata-level': 'enabled', metadata: 'enabled' }],
  ])('is not requested by %s', (_, headers) => {
    expect(wantsRouterMetadata(headers)).toBe(false);
  });

  it('needs only one of several values', () => {
    expect(wantsRouterMetadata({ 'x-router-metadata': 'disabled', 'x-openrouter-metadata': 'enabled' })).toBe(true);
    expect(wantsRouterMetadata({ 'x-router-metadata': 'enabled', 'x-openrouter-metadata': 'off' })).toBe(true);
    expect(wantsRouterMetadata({ 'x-router-metadata': 'off', 'x-openrouter-metadata': 'disabled' })).toBe(false);
  });
});

it.each<[IncomingHttpHeaders, string | undefined]>([
  [{ 'x-session-id': 'a', 'x-claude-code-session-id': 'b' }, 'a'],
  [{ 'x-claude-code-session-id': 'b' }, 'b'],
  [{}, undefined],
])('reads the session of %j', (headers, session) => {
  expect(readRequestHeaders(headers).sessionId).toBe(session);
});
