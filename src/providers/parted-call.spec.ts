// Goal: inputs are divided by a vendor's limits, sent four parts at once, put together in order, and reported for what
// they may be billed, however the call ends. Method: a transport whose replies are released by hand.
import { Cancellation } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { Message } from '../core/conversation/content.js';
import type { TaskRequest } from '../core/conversation/task-request.js';
import { ProviderFault } from '../core/errors.js';
import type { Target, TaskCodec } from '../core/provider.js';
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model } from '../../test/support/route-inputs.js';
import { definitionOf } from './catalog/index.js';
import { DIALECTS } from './dialects/index.js';
import { divided, PartedCall } from './parted-call.js';
import { PLATFORMS } from './platforms/index.js';
import type { OutgoingCall, UpstreamResponse } from './transport/transport.js';

const own = endpoint('p');
const target: Target = {
  model: model('a/b', [own], { task: 'embeddings' }),
  endpoint: own,
  tier: 'standard',
  definition: { ...definitionOf('p', 'none'), credential: 'none' },
};
const text = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const requestOf = (...words: readonly string[]): TaskRequest<'embeddings'> => ({
  ...modelRequest({ messages: words.map(text) }),
  task: { kind: 'embeddings', encoding: 'float' },
});
const textsOf = ({ messages }: TaskRequest<'embeddings'>): string[] =>
  messages.map(({ content }) => (content[0]!.type === 'text' ? content[0].text : ''));
const codecOf = (inputs: number, tokens?: number): TaskCodec => ({
  ...DIALECTS['openai-chat'].tasks!.embeddings!,
  limits: () => ({ inputs, ...(tokens !== undefined && { tokens }) }),
});

describe('divided', () => {
  it.each<[string, TaskCodec, string[], string[][]]>([
    ['nothing to divide', codecOf(3), ['a', 'b', 'c'], [['a', 'b', 'c']]],
    ['one past the limit', codecOf(3), ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
    ['one at a time', codecOf(1), ['a', 'b'], [['a'], ['b']]],
    // Half a token for each character.
    [
      'tokens',
      codecOf(9, 4),
      ['aaaa', 'bbbb', 'cccc', 'd'],
      [
        ['aaaa', 'bbbb'],
        ['cccc', 'd'],
      ],
    ],
    ['an input longer than the limit', codecOf(9, 1), ['a', 'bbbbbbbb', 'c'], [['a'], ['bbbbbbbb'], ['c']]],
  ])('%s', (_what, codec, words, parts) => {
    expect(divided(requestOf(...words), target, codec).map(textsOf)).toEqual(parts);
  });

  it('divides token ids by their number', () => {
    const { task, ...request } = requestOf();
    const ids = { ...request, task: { ...task, tokens: [[1, 2], [3], [4, 5, 6]] } };
    expect(divided(ids, target, codecOf(9, 3)).map((part) => part.task.tokens)).toEqual([[[1, 2], [3]], [[4, 5, 6]]]);
  });
});

interface Sent {
  readonly inputs: readonly string[];
  answer(body: object, status?: number): void;
}

/** A call in parts of one input each, whose sent parts are answered by hand. */
function callOf(...words: readonly string[]) {
  const sent: Sent[] = [];
  const transport = {
    open: (outgoing: OutgoingCall, signal: Cancellation): Promise<UpstreamResponse> =>
      new Promise((resolve, reject) => {
        outgoing.onSent?.();
        signal.addEventListener('abort', () => reject(signal.reason));
        const inputs = (JSON.parse(String(outgoing.body)) as { input: string[] }).input;
        sent.push({
          inputs,
          answer: (body, status = 200) =>
            resolve({
              status,
              headers: {},
              chunks: (async function* () {
                yield [Buffer.from(JSON.stringify(body))];
              })(),
              read: () => Promise.resolve(Buffer.from(JSON.stringify(body))),
            }),
        });
      }),
  };
  const access = {
    dialect: DIALECTS['openai-chat'],
    platform: PLATFORMS.direct({} as never),
    definition: target.definition,
    transport,
  };
  const codec = codecOf(1);
  const request = requestOf(...words);
  const dependencies = { timeouts: { connectMs: 1, idleMs: 1 }, proxySecrets: [] };
  const call = new PartedCall(target, request, undefined, new Map(), access, dependencies, undefined, codec);
  return { call: call.of(divided(request, target, codec)), sent };
}

const replyTo = ({ inputs }: Sent): object => ({
  data: inputs.map((one, index) => ({ index, embedding: [one.charCodeAt(0)] })),
  usage: { prompt_tokens: 10 },
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const usageOf = (events: readonly ModelEvent[]): unknown =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));

it('sends four at once, and puts the vectors together in the order of the inputs', async () => {
  const { call, sent } = callOf('a', 'b', 'c', 'd', 'e', 'f');
  const answer = call.answer(new Cancellation());
  await settled();
  expect(sent).toHaveLength(4);
  for (const index of [3, 1, 0]) sent[index]!.answer(replyTo(sent[index]!));
  await settled();
  await settled();
  expect(sent).toHaveLength(6);
  for (const index of [5, 4, 2]) sent[index]!.answer(replyTo(sent[index]!));
  const events = await answer;
  expect(events.at(-1)).toMatchObject({ computed: { vectors: [[97], [98], [99], [100], [101], [102]] } });
  expect(usageOf(events)).toMatchObject([{ inputTokens: 60 }]);
});

it('begins no part after a failure, awaits those under way, and reports what they used', async () => {
  const { call, sent } = callOf('a', 'b', 'c', 'd', 'e', 'f');
  const answer = call.answer(new Cancellation());
  const failed = expect(answer).rejects.toMatchObject({ kind: 'rate-limited' });
  await settled();
  sent[1]!.answer({ error: { message: 'Slow down' } }, 429);
  await settled();
  for (const index of [0, 2, 3]) sent[index]!.answer(replyTo(sent[index]!));
  await failed;
  expect(sent).toHaveLength(4);
  expect(usageOf(call.billed)).toMatchObject([{ inputTokens: 30 }]);
});

it('estimates what was under way when it was cut off', async () => {
  const { call, sent } = callOf('a', 'b', 'c', 'd', 'e', 'f');
  const abort = new Cancellation();
  const answer = call.answer(abort);
  const failed = expect(answer).rejects.toBeInstanceOf(ProviderFault);
  await settled();
  sent[0]!.answer(replyTo(sent[0]!));
  await settled();
  await settled();
  abort.abort(new ProviderFault('timed-out', 'Late.'));
  await failed;
  const [usage] = usageOf(call.billed) as [{ inputTokens: number; estimated?: boolean }];
  // One was answered, and four were under way, of some six tokens each.
  expect(usage.estimated).toBe(true);
  expect(usage.inputTokens).toBeGreaterThan(10 + 4);
  expect(usage.inputTokens).toBeLessThan(10 + 40);
});

it('reports nothing where nothing was answered', async () => {
  const { call, sent } = callOf('a', 'b');
  const failed = expect(call.answer(new Cancellation())).rejects.toBeInstanceOf(ProviderFault);
  await settled();
  for (const one of sent) one.answer({ data: [] });
  await failed;
  expect(call.billed).toEqual([]);
});
