/**
 * Checks that every class of error reaches the users of real clients as the class they would catch, with a helpful
 * message. Each client sends what the gateway refuses by itself, then what scripted upstreams refuse or break off.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { Client, Fault, Question } from './client.js';
import { CLIENTS, MODES } from './clients.js';
import { echoes, OVERLOADED_MESSAGE, PROVIDERS, refuses, type Ending } from './scripted-upstream.js';
import { TestBench } from './test-bench.js';

const BODY_KIB_MAX = 64;

interface Refusal {
  readonly rule: string;
  readonly question?: Partial<Question>;
  readonly key?: string;
  readonly status: number;
  readonly type: string;
  readonly message: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  {
    rule: 'an unknown type of image',
    question: { turn: [{ type: 'image', mediaType: 'image/bmp', base64: 'AAAA' }] },
    status: 400,
    type: 'invalid_request_error',
    message: /^messages\.0\.content\.0\.source\.media_type: /,
  },
  {
    rule: 'a tool result without its call',
    question: { turn: { results: [{ id: 'toolu_none', name: 'get_weather', text: 'sunny' }] } },
    status: 400,
    type: 'invalid_request_error',
    message: /^messages\.0\.content\.0\.tool_use_id: /,
  },
  {
    rule: 'an unknown key',
    key: 'sk-of-nobody-0123456789',
    status: 401,
    type: 'authentication_error',
    message: /key/i,
  },
  { rule: 'a management key', key: MANAGEMENT_KEY, status: 403, type: 'permission_error', message: /management/i },
  {
    rule: 'an unknown model',
    question: { model: 'test/nobody' },
    status: 404,
    type: 'not_found_error',
    message: /test\/nobody/,
  },
  {
    rule: 'a body that is too large',
    question: { turn: 'x'.repeat(20 * BODY_KIB_MAX * 1024) },
    status: 413,
    type: 'invalid_request_error',
    message: /./,
  },
];

interface UpstreamRefusal {
  readonly upstream: number;
  readonly upstreamType: string;
  readonly status: number;
  readonly type: string;
  readonly retryAfterS?: string;
}

const UPSTREAM_REFUSALS: readonly UpstreamRefusal[] = [
  { upstream: 400, upstreamType: 'invalid_request_error', status: 400, type: 'invalid_request_error' },
  { upstream: 401, upstreamType: 'authentication_error', status: 502, type: 'api_error' },
  { upstream: 404, upstreamType: 'not_found_error', status: 502, type: 'api_error' },
  { upstream: 413, upstreamType: 'request_too_large', status: 413, type: 'invalid_request_error' },
  { upstream: 429, upstreamType: 'rate_limit_error', status: 429, type: 'rate_limit_error', retryAfterS: '7' },
  { upstream: 500, upstreamType: 'api_error', status: 502, type: 'api_error' },
  { upstream: 503, upstreamType: 'api_error', status: 503, type: 'overloaded_error' },
  { upstream: 529, upstreamType: 'overloaded_error', status: 529, type: 'overloaded_error' },
];

const BROKEN_ENDINGS: readonly { ending: Ending; type: string; message: RegExp }[] = [
  { ending: 'error', type: 'overloaded_error', message: new RegExp(OVERLOADED_MESSAGE) },
  { ending: 'cut', type: 'api_error', message: /./ },
];

describeOnEmbedded('failures in real clients', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database, { variables: { FAIRLEAD_BODY_MAX: `${BODY_KIB_MAX}KiB` } });
  }, 240_000);
  afterAll(() => bench?.close());

  describe.each(CLIENTS.flatMap((kind) => MODES.map((mode) => ({ kind, ...mode }))))(
    '$kind.name, $mode',
    ({ kind, streamed }) => {
      it.each(REFUSALS)('sees $status for $rule', async ({ question, key, status, type, message }) => {
        const model = bench.script(PROVIDERS[0]!, echoes(PROVIDERS[0]!));
        const fault = await faultOf(bench.connect(kind, key), { model, turn: 'Hello', ...question }, streamed);
        expect(fault).toEqual({
          errorName: kind.errorName(status),
          status,
          type,
          message: expect.stringMatching(message),
          retryAfter: null,
        });
      });

      describe.each(PROVIDERS)('$kind upstream', (provider) => {
        it.each(UPSTREAM_REFUSALS)(
          'sees $status for its $upstream',
          async ({ upstream, upstreamType, status, type, retryAfterS }) => {
            const headers = retryAfterS === undefined ? {} : { 'retry-after': retryAfterS };
            const words = 'Words of the provider';
            const model = bench.script(provider, refuses(provider, upstream, upstreamType, words, headers));
            const fault = await faultOf(bench.connect(kind), { model, turn: 'Hello' }, streamed);
            expect(fault).toEqual({
              errorName: kind.errorName(status),
              status,
              type,
              // Messages about the operator's credential are for the operator alone.
              message:
                upstream === 401
                  ? expect.stringContaining('only the operator of the gateway can fix it.')
                  : expect.stringMatching(status === 502 ? `^Provider p\\d: ${words}$` : `^${words}$`),
              retryAfter: retryAfterS ?? null,
            });
          },
        );
      });
    },
  );

  describe.each(CLIENTS.flatMap((kind) => PROVIDERS.map((provider) => ({ kind, provider }))))(
    '$kind.name, $provider.kind upstream',
    ({ kind, provider }) => {
      it.each(BROKEN_ENDINGS)(
        'sees an error after the text when the stream ends with: $ending',
        async ({ ending, type, message }) => {
          const model = bench.script(provider, provider.breaksOff('Once upon a time', ending));
          let pieces = 0;
          const client = bench.connect(kind);
          const fault = await faultOf(client, { model, turn: 'A story' }, true, () => pieces++);
          expect(pieces).toBeGreaterThan(0);
          expect(fault).toEqual({
            errorName: kind.inBandErrorName,
            status: undefined,
            type,
            message: expect.stringMatching(message),
            retryAfter: null,
          });
        },
      );
    },
  );
});

async function faultOf(client: Client, question: Question, streamed: boolean, onText?: () => void): Promise<Fault> {
  const outcome = await client.ask(question, streamed, onText && { onText }).then(
    (sight) => ({ sight }),
    (error: unknown) => ({ fault: client.faultOf(error) }),
  );
  if ('sight' in outcome) throw new Error(`No error was seen, but an answer: ${JSON.stringify(outcome.sight)}`);
  return outcome.fault;
}
