// The model that a tool consults must be in the catalog and allowed for the caller. Requests with and without such a
// tool, by id and by the provider's name; each refusal with its field.
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, inputsOf, model } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Tool } from '../conversation/tools.js';
import { GatewayError } from '../errors.js';
import type { StoredCredential } from './credential.js';
import { forAdvisors, nameAdvisors } from './name-advisors.js';
import type { RoutingPolicy } from './route-inputs.js';

const LARGE = model('a/large', [endpoint('p', { upstreamModel: 'large-1' })]);
const MODELS = [
  model('a/small', [endpoint('p')]),
  LARGE,
  model('a/twin', [endpoint('p', { upstreamModel: 'shared' })]),
  model('b/twin', [endpoint('q', { upstreamModel: 'shared' })]),
];
const advisor = (name: unknown, type = 'advisor_20260301'): Tool => ({
  type: 'vendor',
  opaque: { vendor: 'anthropic', value: { type, name: 'advisor', model: name as string } },
});
const request = (...tools: Tool[]): ModelRequest => modelRequest({ tools });
const named = (tool: Tool, policies: readonly RoutingPolicy[] = []): ModelRequest =>
  nameAdvisors(request({ type: 'service', id: 'x', parameters: {} }, tool), { ...inputsOf(MODELS), policies });

const refusal = (run: () => unknown): GatewayError => {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('nameAdvisors', () => {
  it.each(['a/large', 'large-1'])('finds the model by its name %s', (name) => {
    expect(named(advisor(name)).tools[1]).toEqual({ ...advisor(name), advisor: LARGE });
  });

  it.each([
    ['no tools', request()],
    ['tools that consult no model', request(advisor('a/large', 'web_search_20250305'))],
  ])('returns %s unchanged', (_, sent) => {
    expect(nameAdvisors(sent, inputsOf(MODELS))).toBe(sent);
  });

  it.each([['a/unknown'], ['shared'], [''], [undefined], [7], ['__proto__']])(
    'refuses the name %p, which is unknown or ambiguous',
    (name) => {
      const error = refusal(() => named(advisor(name)));
      expect(error.kind).toBe('invalid-request');
      expect(error.message).toMatch(/^tools\.1\.model: /);
    },
  );

  it.each<[string, RoutingPolicy]>([
    ['allows others only', { onlyModels: ['a/small'] }],
    ['ignores it', { ignoreModels: ['a/l*'] }],
    ['of its key allows others only', { keyModels: ['a/small'] }],
  ])('refuses a model where a policy %s', (_, policy) => {
    const error = refusal(() => named(advisor('large-1'), [policy]));
    expect(error).toMatchObject({ kind: 'forbidden', detail: { metadata: { models: ['a/large'] } } });
    expect(error.message).toMatch(/^tools\.1\.model: /);
  });
});

describe('forAdvisors', () => {
  const credential = (id: string, allowedModels?: readonly string[]): StoredCredential => ({
    id,
    provider: 'p',
    isFallback: false,
    sortOrder: 0,
    ...(allowedModels && { allowedModels }),
  });
  const [open, both, one] = [credential('1'), credential('2', ['a/small', 'a/large']), credential('3', ['a/small'])];
  const { catalog } = inputsOf(MODELS);
  const left = (...tools: Tool[]): readonly StoredCredential[] =>
    forAdvisors([open, both, one], request(...tools), catalog);

  it.each(['a/large', 'large-1'])('leaves out a credential that is not for the consulted %s', (name) => {
    expect(left(advisor(name))).toEqual([open, both]);
    expect(left(advisor('a/small'), advisor(name))).toEqual([open, both]);
  });

  it('keeps all where no model is consulted, or where it is refused anyway', () => {
    expect(left()).toEqual([open, both, one]);
    expect(left(advisor('a/large', 'web_search_20250305'), advisor('a/unknown'))).toEqual([open, both, one]);
  });
});
