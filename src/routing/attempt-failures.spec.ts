// Each kind of fault leads to the status of docs/use/errors.md#provider-faults, and the right one of several attempts
// is reported. Tables of faults, and the appearance of the resulting error.
import { GatewayError, ProviderFault, Untranslatable, type FaultDetail, type FaultKind } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import type { Leg } from '../core/routing/plan.js';
import { APPEARANCES } from '../shared/http/error-views.js';
import { FAULT_POLICIES } from '../core/fault-policies.js';
import { errorOfAttempts, faultError, midReplyError, type FailedAttempt } from './attempt-failures.js';

/** Status for the caller, what may succeed instead, and the effect on the endpoint's health. */
const EXPECTED: Readonly<
  Record<FaultKind, readonly [number, 'endpoint' | 'model', 'fault' | 'doubtful-fault' | 'rate-limit' | 'nothing']>
> = {
  unreachable: [502, 'endpoint', 'fault'],
  'timed-out': [504, 'endpoint', 'doubtful-fault'],
  'refused-credential': [502, 'endpoint', 'doubtful-fault'],
  'payment-required': [502, 'endpoint', 'doubtful-fault'],
  'not-found': [502, 'endpoint', 'doubtful-fault'],
  'rejected-request': [400, 'model', 'nothing'],
  'too-large': [413, 'model', 'nothing'],
  'rate-limited': [429, 'endpoint', 'rate-limit'],
  unavailable: [503, 'endpoint', 'fault'],
  overloaded: [529, 'endpoint', 'fault'],
  'server-error': [502, 'endpoint', 'fault'],
  'malformed-reply': [502, 'endpoint', 'doubtful-fault'],
};

function legAt(name: string): Leg {
  const endpoint: Endpoint = {
    tag: name.toLowerCase(),
    provider: {
      slug: name.toLowerCase(),
      name,
      dialect: 'openai-chat',
      baseUrl: 'https://provider.example/v1',
      policy: { collectsData: true, zeroDataRetention: false },
    },
    upstreamModel: 'upstream',
    pricing: null,
    quantization: 'unknown',
    contextLength: 1000,
    supportedParameters: [],
  };
  const model: Model = {
    id: 'acme/large',
    name: 'Large',
    contextLength: 1000,
    inputModalities: ['text'],
    outputModalities: ['text'],
    scores: {},
    endpoints: [endpoint],
  };
  return { model, endpoint, tier: 'standard', tag: endpoint.tag, credential: 'shared' };
}

const faulty = (provider: string, kind: FaultKind, detail: FaultDetail = {}): FailedAttempt => ({
  leg: legAt(provider),
  error: new ProviderFault(kind, `${provider} says ${kind}`, detail),
});
const impossible = (provider: string): FailedAttempt => ({
  leg: legAt(provider),
  error: new Untranslatable('messages.0.content.1', `cannot be sent to ${provider}`),
});
const shownStatus = (error: GatewayError): number => APPEARANCES[error.kind].status;

describe('FAULT_POLICIES', () => {
  it.each(Object.entries(EXPECTED))('%s is reported as %j', (kind, [status, tryNext, health]) => {
    const policy = FAULT_POLICIES[kind as FaultKind];
    expect([
      APPEARANCES[policy.errorKind].status,
      policy.tryNext,
      ENDINGS[`provider-${kind as FaultKind}`].health,
    ]).toEqual([status, tryNext, health]);
  });
});

describe('faultError', () => {
  it("contains the provider's words, its name, and its own code", () => {
    const fault = new ProviderFault('rate-limited', 'Slow down', { status: 429, providerCode: 'too_fast' });
    const error = faultError(fault, legAt('Acme'));
    expect(error).toMatchObject({
      kind: 'rate-limited',
      message: 'Slow down',
      cause: fault,
      detail: { metadata: { provider_name: 'Acme', provider_code: 'too_fast' } },
    });
    expect(error.detail.retryAfterMs).toBeUndefined();
  });

  it('invents no code', () => {
    expect(faultError(new ProviderFault('unreachable', 'Gone'), legAt('Acme')).detail).toEqual({
      metadata: { provider_name: 'Acme' },
    });
  });

  it.each([
    [400, 400],
    [422, 422],
    [undefined, 400],
  ])('reports a request that was rejected with %s as %i', (status, expected) => {
    const detail = status === undefined ? {} : { status };
    expect(shownStatus(faultError(new ProviderFault('rejected-request', 'No', detail), legAt('Acme')))).toBe(expected);
  });
});

describe('the words of a failure', () => {
  it.each<[FaultKind, string, string]>([
    ['unreachable', 'The provider could not be reached: it refused the connection.', 'Acme could not be reached: it refused the connection.'],
    ['malformed-reply', "The provider's reply is nested too deep.", "Acme's reply is nested too deep."],
    ['server-error', 'The provider answered with status 500.', 'Acme answered with status 500.'],
    ['server-error', 'Internal error', 'Acme: Internal error'],
    ['server-error', 'Acme is down', 'Acme is down'],
    // The provider's message names the fault of the request.
    ['rejected-request', 'max_tokens is too large', 'max_tokens is too large'],
    ['overloaded', 'Overloaded', 'Overloaded'],
  ])('name the provider and the cause: %s, %s', (kind, message, expected) => {
    expect(faultError(new ProviderFault(kind, message), legAt('Acme')).message).toBe(expected);
  }); // oxfmt-ignore

  it.each<[string, string, string | undefined]>([
    ['Anthropic', 'prompt is too long: 216666 tokens > 200000 maximum', 'invalid_request_error'],
    ['Anthropic, with the answer', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', undefined],
    ['OpenAI', 'Your input exceeds the context window of this model.', 'context_length_exceeded'],
    ['those that speak its format', "This model's maximum context length is 65536 tokens.", undefined],
    ['Google', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 'INVALID_ARGUMENT'],
    ['Bedrock', 'Input is too long for requested model.', 'ValidationException'],
  ])('are those of a prompt that is too long: %s', (_, message, providerCode) => {
    const detail = { status: 400, ...(providerCode !== undefined && { providerCode }) };
    const error = faultError(new ProviderFault('rejected-request', message, detail), legAt('Acme'));
    expect([error.kind, error.message]).toEqual(['context-too-long', message]);
  }); // oxfmt-ignore
});

describe('midReplyError', () => {
  it('words a cut so that programs recognise it as transient, and anything else as the provider did', () => {
    const cut = new ProviderFault('malformed-reply', 'The provider closed the connection during its reply.', {
      isCut: true,
    });
    expect(midReplyError(cut, legAt('Acme'))).toMatchObject({
      kind: 'upstream-failed',
      message: 'provider returned error: connection error: Acme closed the connection during its reply.',
      detail: { metadata: { provider_name: 'Acme' } },
    });
    expect(midReplyError(new ProviderFault('overloaded', 'Overloaded'), legAt('Acme')).message).toBe('Overloaded');
  });
});

describe('errorOfAttempts', () => {
  it('reports the last fault, and lists the others in order', () => {
    const error = errorOfAttempts([
      faulty('One', 'overloaded', { status: 529 }),
      faulty('Two', 'unreachable'),
      faulty('Three', 'rejected-request', { status: 400 }),
    ]);
    expect([shownStatus(error), error.message]).toEqual([400, 'Three says rejected-request']);
    expect(error.detail.metadata).toEqual({
      provider_name: 'Three',
      previous_errors: [
        { provider: 'One', code: 529, message: 'One says overloaded' },
        { provider: 'Two', code: null, message: 'Two says unreachable' },
      ],
    });
  });

  it('lists nothing where there was one attempt', () => {
    expect(errorOfAttempts([faulty('One', 'overloaded')]).detail.metadata).toEqual({ provider_name: 'One' });
  });

  it('does not let an uncarried request hide a fault', () => {
    const error = errorOfAttempts([faulty('One', 'overloaded', { status: 529 }), impossible('Two')]);
    expect([shownStatus(error), error.message]).toEqual([529, 'One says overloaded']);
    expect(error.detail.metadata).toMatchObject({ previous_errors: [{ provider: 'Two', code: 400 }] });
  });

  it('names the field of the last target when none could carry the request', () => {
    const error = errorOfAttempts([impossible('One'), impossible('Two')]);
    expect([shownStatus(error), error.message]).toEqual([400, 'messages.0.content.1: cannot be sent to Two']);
    expect(error.detail.metadata).toMatchObject({ previous_errors: [{ provider: 'One', code: 400 }] });
  });

  it('names fields in the words of the caller, also those of earlier targets', () => {
    const error = errorOfAttempts([impossible('One'), impossible('Two')], { messages: 'input' });
    expect(error.message).toBe('input.0.content.1: cannot be sent to Two');
    expect(error.detail.metadata).toEqual({
      previous_errors: [{ provider: 'One', code: 400, message: 'input.0.content.1: cannot be sent to One' }],
    });
  });

  it.each([
    ['one hint', [3_000], 3_000],
    ['no hint', [undefined], undefined],
    ['a hint of nothing', [0], 0],
    ['the shortest of all', [9_000, 3_000, 5_000], 3_000],
    ['none where the first gave none', [undefined, 3_000], undefined],
    ['none where the last gave none', [3_000, undefined], undefined],
  ])('gives a retry hint: %s', (_, hints, expected) => {
    const attempts = hints.map((retryAfterMs) =>
      faulty('One', 'rate-limited', retryAfterMs === undefined ? {} : { retryAfterMs }),
    );
    expect(errorOfAttempts(attempts).detail.retryAfterMs).toBe(expected);
  });

  it('needs no hint of a provider that was not called', () => {
    const attempts = [faulty('One', 'rate-limited', { retryAfterMs: 3_000 }), impossible('Two')];
    expect(errorOfAttempts(attempts).detail.retryAfterMs).toBe(3_000);
  });
});
