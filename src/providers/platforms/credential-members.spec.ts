// Goal: data kept for a credential is separate by its text and by its owner. Method: one reader, calls with the
// operator's credential and with callers' own.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { CallContext } from '../../core/platform.js';
import { Secret } from '../../core/secret.js';
import { CredentialReader } from './credential-members.js';

const OPERATORS = new Secret('one');
const reader = new CredentialReader((text) => text.toUpperCase());

function contextWith(credential: Secret): CallContext {
  const at = endpoint('acme');
  const target = { ...at, provider: { ...at.provider, credential: OPERATORS } };
  const definition = { slug: 'acme', credential: 'bearer', quirks: {} } as const;
  return { target: { model: model('a/b', [target]), endpoint: target, tier: 'standard', definition }, credential };
}

const [operators, callersOwn, callersLike] = [OPERATORS, new Secret('two'), new Secret('one')].map(contextWith) as [
  CallContext,
  CallContext,
  CallContext,
];

it('keeps what was fetched for the operator from a caller who brings the very text', () => {
  const keys = [operators, callersOwn, callersLike].map((context) => reader.keyOf(context));
  expect(new Set(keys).size).toBe(3);
  expect(reader.keyOf(contextWith(new Secret('one')))).toBe(reader.keyOf(callersLike));
});

it('reads each text, and keeps its words out of the key', () => {
  expect([operators, callersOwn, callersLike].map((context) => reader.read(context))).toEqual(['ONE', 'TWO', 'ONE']);
  expect(reader.keyOf(callersOwn)).not.toContain('two');
});
