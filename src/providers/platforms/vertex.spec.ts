/**
 * Goal: the address of a call in Gemini's own format has the project, region and model, and the verb and query of the
 * dialect; its body names no model. Method: the platform alone, with a call of the dialect;
 * test/providers/vertex.spec.ts covers the rest.
 */
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { CallContext } from '../../core/platform.js';
import type { UpstreamCall } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import { Secret } from '../../core/secret.js';
import type { Transport } from '../transport/transport.js';
import { VertexPlatform } from './vertex.js';

const platform = new VertexPlatform({ transport: {} as Transport, clock: new AheadClock() });

function contextOf(baseUrl: string, credential: string): CallContext {
  const plain = endpoint('google-vertex', { upstreamModel: 'gemini-x' });
  const one: Endpoint = {
    ...plain,
    dialect: 'google-gemini',
    provider: { ...plain.provider, baseUrl, platform: 'vertex' },
  };
  const definition = { slug: 'google-vertex', credential: 'bearer', quirks: {} } as const;
  const target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition } as const;
  return { target, credential: new Secret(credential) };
}

const account = (more: object): string =>
  JSON.stringify({ type: 'service_account', project_id: 'p-1', client_email: 'a@b', private_key: 'k', ...more });

const call = (verb: string): UpstreamCall => ({
  path: `/v1beta/models/gemini-x:${verb}`,
  headers: {},
  body: { model: 'gemini-x', contents: [] },
  stream: verb.startsWith('stream'),
});

const GOOGLE = 'https://{region}-aiplatform.googleapis.com';
const BEHIND = 'publishers/google/models/gemini-x';

/** The dialect counts the whole request, of which some parts cannot be counted here. */
const counted = ({ body, ...rest }: UpstreamCall): UpstreamCall => ({
  ...rest,
  body: { generateContentRequest: { model: 'models/gemini-x', ...body, toolConfig: {} } },
});

it.each([
  [GOOGLE, account({ region: 'europe-west1' }), 'generateContent', `https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/${BEHIND}:generateContent`],
  [GOOGLE, account({}), 'streamGenerateContent?alt=sse', `https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/${BEHIND}:streamGenerateContent?alt=sse`],
  ['https://us-east5-aiplatform.googleapis.com', account({}), 'countTokens', `https://us-east5-aiplatform.googleapis.com/v1/projects/p-1/locations/us-east5/${BEHIND}:countTokens`],
  [GOOGLE, 'AIza-key', 'generateContent', `https://aiplatform.googleapis.com/v1/${BEHIND}:generateContent`],
])('%s with %s: %s', (baseUrl, credential, verb, url) => {
  const context = contextOf(baseUrl, credential);
  const adapted = platform.adapt(verb === 'countTokens' ? counted(call(verb)) : call(verb), context.target);
  expect(platform.address(context, adapted)).toBe(url);
  expect(adapted.body).toEqual({ contents: [] });
}); // oxfmt-ignore

it('leaves out the ids of calls, which this version of the API refuses', () => {
  const { target } = contextOf(GOOGLE, account({}));
  const parts = (more: object) => [
    { functionCall: { ...more, name: 'f', args: { id: 'kept' } }, thoughtSignature: 's' },
    { functionResponse: { ...more, name: 'f', response: { output: 'o' } } },
    { text: 't' },
  ];
  const contents = (more: object) => [{ role: 'user', parts: parts(more) }];
  const adapted = platform.adapt({ ...call('generateContent'), body: { contents: contents({ id: 'c' }) } }, target);
  expect(adapted.body).toEqual({ contents: contents({}) });
});
