// The result of a thread arrives unchanged, with its secrets, and equal providers stay identical. A structured clone
// replaces the transfer between threads.
import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../core/secret.js';
import { CredentialFiles } from './catalog-files.js';
import { unpackJudgement, packJudgement } from './judgement-transfer.js';
import { readCatalog } from './read-catalog.js';
import { packSecrets, unpackSecrets } from './secret-transfer.js';
import { credentialSources } from '../../test/support/credential-sources.js';

const CATALOG = `version: 1
providers:
  - { slug: acme, name: Acme, dialect: openai-chat, base_url: "https://acme.test", credential: { env: ACME } }
  - { slug: other, name: Other, dialect: openai-chat, base_url: "https://other.test", credential: { value: written } }
  - { slug: open, name: Open, dialect: openai-chat, base_url: "https://open.test" }
models:
  - id: acme/one
    name: One
    context_length: 9
    endpoints: [{ provider: acme, model: m, pricing: { prompt: "1", completion: "2", geo: { us: "1.1" } } }]
tools:
  web_search: { default: exa, engines: { exa: { base_url: "https://exa.test", credential: { env: EXA } } } }
`;

it('carries a catalog with its secrets, each provider once', () => {
  const sources = credentialSources({ ACME: 'sk-acme', EXA: 'sk-exa' });
  const reading = readCatalog({ name: 'catalog.yaml', text: CATALOG }, undefined, sources);
  const credentials = new CredentialFiles([['/run/token', { text: 'token' }]]);
  const arrived = unpackJudgement(structuredClone(packJudgement({ reading, parsed: new Map([['text', { a: 1 }]]), credentials })));
  expect(arrived.credentials.hash).toBe(credentials.hash);
  expect(arrived.parsed).toEqual(new Map([['text', { a: 1 }]]));
  if ('faults' in arrived.reading || 'faults' in reading) throw new Error('The catalog is sound.');
  const { providers, models, tools } = arrived.reading.snapshot;
  // Endpoints with geographies are circular, which jest could not compare.
  expect(isDeepStrictEqual(arrived.reading.snapshot, reading.snapshot)).toBe(true);
  expect([...providers.values()].map(({ credential }) => credential?.reveal())).toEqual(['sk-acme', 'written', undefined]);
  expect(providers.get('acme')!.credential).toBeInstanceOf(Secret);
  expect(tools.webSearch!.engines.get('exa')!.credential!.reveal()).toBe('sk-exa');
  const endpoint = models.get('acme/one')!.endpoints[0]!;
  expect(endpoint.provider).toBe(providers.get('acme'));
  expect(endpoint.geographies!.get('us')!.geography!.elsewhere).toBe(endpoint);
});

it('carries faults', () => {
  const reading = readCatalog({ name: 'catalog.yaml', text: 'version: 2' }, undefined, credentialSources({}));
  const arrived = unpackJudgement(
    structuredClone(packJudgement({ reading, parsed: new Map(), credentials: new CredentialFiles() })),
  );
  expect(arrived.reading).toEqual(reading);
});

it.each([
  ['a member', { a: { b: new Secret('x') } }],
  ['a list', { a: [1, new Secret('x')] }],
  ['a map', new Map([['a', new Map([['b', { c: new Secret('x') }]])]])],
  ['none', { a: null, b: 'text', c: [] }],
])('restores the secret of %s', (_, content) => {
  const copy = structuredClone(content);
  unpackSecrets(copy, packSecrets(content));
  expect(packSecrets(copy)).toEqual(packSecrets(content));
});
