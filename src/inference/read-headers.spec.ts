/**
 * Goal: the header is read as leniently as docs/wire/routing-metadata.md#the-header says and never refused. Method: a
 * table of names and values.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { wantsRouterMetadata } from './read-headers.js';

const NAMES = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
];

describe('wantsRouterMetadata', () => {
  it.each(NAMES)('is asked for by %s', (name) => {
    expect(wantsRouterMetadata({ [name]: 'enabled' })).toBe(true);
  });

  it.each(['ENABLED', 'Enabled', ' enabled ', '\tenabled', 'enabled, enabled', 'disabled, enabled'])(
    'is asked for by the value %j',
    (value) => {
      expect(wantsRouterMetadata({ 'x-router-metadata': value })).toBe(true);
    },
  );

  it.each(['', ' ', 'disabled', 'true', '1', 'yes', 'enable', 'enabled;', 'enabledx', 'not enabled', '{"a":1}'])(
    'is not asked for by the value %j',
    (value) => {
      expect(wantsRouterMetadata({ 'x-router-metadata': value })).toBe(false);
    },
  );

  it.each<[string, IncomingHttpHeaders]>([
    ['no header', {}],
    ['another name', { 'x-router-metadata-level': 'enabled', metadata: 'enabled' }],
  ])('is not asked for by %s', (_, headers) => {
    expect(wantsRouterMetadata(headers)).toBe(false);
  });

  it('takes one of several as enough', () => {
    expect(wantsRouterMetadata({ 'x-router-metadata': 'disabled', 'x-openrouter-metadata': 'enabled' })).toBe(true);
    expect(wantsRouterMetadata({ 'x-router-metadata': 'enabled', 'x-openrouter-metadata': 'off' })).toBe(true);
    expect(wantsRouterMetadata({ 'x-router-metadata': 'off', 'x-openrouter-metadata': 'disabled' })).toBe(false);
  });
});
