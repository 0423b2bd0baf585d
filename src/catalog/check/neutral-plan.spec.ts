// Goal: the plan by the catalog alone excludes what the gateway excludes. Method: the real registry of providers, and a
// request that requires what the model behind one of two endpoints is not sent.
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import type { FunctionTool } from '../../core/conversation/tools.js';
import { ProviderRegistry } from '../../providers/registry.js';
import type { Transport } from '../../providers/transport/transport.js';
import { planNeutrally } from './neutral-plan.js';
import { requestTo } from './representative-requests.js';

const known = new ProviderRegistry({} as Transport, new AheadClock());
const LISTED = { supportedParameters: ['max_tokens', 'tools'] };
const catalog = catalogOf(
  model('vendor/m', [
    endpoint('alpha', { dialect: 'google-gemini', ...LISTED }),
    endpoint('beta', { dialect: 'openai-chat', ...LISTED }),
  ]),
);
const inputSchema = { type: 'object', properties: {}, additionalProperties: false };
const STRICT: FunctionTool = { type: 'function', name: 'f', inputSchema, strict: true };

it('excludes an endpoint that is not sent what the request requires', () => {
  const planned = (requireParameters: boolean) =>
    planNeutrally(requestTo('vendor/m', { tools: [STRICT], preferences: { requireParameters } }), catalog, known);
  expect(planned(false).legs.map(({ tag }) => tag).toSorted()).toEqual(['alpha', 'beta']);
  const { legs, excluded } = planned(true);
  expect(legs.map(({ tag }) => tag)).toEqual(['beta']);
  expect(excluded).toMatchObject([{ tag: 'alpha', reason: 'unsupported-parameter', detail: 'tools.0.strict' }]);
});
