// Goal: the socket of plugins carries what the nine plugins of the wire need: every hook, in order, with its options,
// over the real vocabulary. Method: a made-up plugin with every hook, driven as a pipeline will drive it.
import { extensionContext } from '../../test/support/extension-context.js';
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, plan } from '../../test/support/route-inputs.js';
import { Cancellation } from './cancellation.js';
import type { ModelEvent } from './conversation/event.js';
import { ReplyBuilder } from './conversation/reply.js';
import type { ModelRequest } from './conversation/request.js';
import { CallerGone } from './errors.js';
import type { Plugin } from './plugin.js';
import { catalogOf } from '../../test/support/route-inputs.js';
import { GrammarCheck } from './stream/grammar.js';
import { pump } from './stream/pump.js';
import type { Step } from './stream/step.js';

type Options = { readonly shouts: boolean };

/** Puts every word of an answer in capitals: an event is changed, so it loses its source. */
class Shout implements Step<ModelEvent, ModelEvent> {
  push(event: ModelEvent, out: ModelEvent[]): void {
    const isText = event.type === 'block-delta' && event.delta.type === 'text';
    if (!isText) out.push(event);
    else
      out.push({
        type: 'block-delta',
        index: event.index,
        delta: { type: 'text', text: event.delta.text.toUpperCase() },
      });
  }

  end(): void {}
}

const textOf = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : ''))).join(' ');
const asking = (text: string, name = 'acme/any'): ModelRequest =>
  modelRequest({ model: name, messages: [{ role: 'user', content: [{ type: 'text', text }] }], stream: true });

const everyHook: Plugin<Options> = {
  id: 'every-hook',
  options: { type: 'object', properties: { shouts: { type: 'boolean' } } },
  isSkippable: false,
  fee: () => 5n,
  choose: ({ model: asked }, _options, { models }) => [...models.keys()].filter((id) => id !== asked),
  prepare: async (request, _options, { guardedFetch, signal }) => {
    const limits = { bytesMax: 10, timeoutMs: 10, accept: ['text/plain'], redirectsMax: 0 };
    const { bytes } = await guardedFetch.fetch('https://page.example/', limits, signal);
    return asking(`${textOf(request)} ${bytes.toString()}`, request.model);
  },
  rewrite: (request) => asking(textOf(request).trim(), request.model),
  fit: (request, { endpoint: { contextLength } }) => asking(textOf(request).slice(0, contextLength), request.model),
  watch: (_request, { shouts }) => (shouts ? new Shout() : undefined),
  judgeRequest: async (request) =>
    Promise.resolve(
      textOf(request).includes('forbidden')
        ? { passes: false, message: 'Not this.', metadata: { reasons: ['word'] } }
        : { passes: true },
    ),
  judgeReply: async ({ blocks }) =>
    Promise.resolve(blocks.length > 0 ? { passes: true } : { passes: false, message: 'Empty.', metadata: {} }),
  async *answer(request, _options, context) {
    yield* await context.infer(request, 'panel');
  },
};

const textReply = (...words: readonly string[]): ModelEvent[] => [
  { type: 'reply-start' },
  { type: 'block-start', index: 0, block: { type: 'text' } },
  ...words.map((text): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text } })),
  { type: 'block-end', index: 0 },
  { type: 'usage', usage: {} },
  { type: 'reply-end', stop: { unified: 'end-turn', raw: 'end_turn', vendor: 'anthropic' } },
];

async function* one(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield await Promise.resolve(events);
}

const abort = new Cancellation();
const context = extensionContext({
  signal: abort.signal,
  catalog: catalogOf(model('acme/any', []), model('acme/other', [endpoint('p1')])),
  guardedFetch: {
    allows: () => true,
    fetch: (url, _limits, signal) => {
      signal.throwIfAborted();
      return Promise.resolve({ url, mediaType: 'text/plain', bytes: Buffer.from('page'), release: () => undefined });
    },
  },
  workers: { run: (_job, makeInput) => Promise.resolve(makeInput()) },
  infer: (request) => Promise.resolve(one(textReply('heard: ', textOf(request)))),
});
const LOUD = { shouts: true };

it('chooses, prepares, rewrites, fits and judges a request', async () => {
  const request = asking(' read ');
  expect(everyHook.choose?.(request, LOUD, context.catalog)).toEqual(['acme/other']);
  const prepared = await everyHook.prepare!(request, LOUD, context);
  const rewritten = everyHook.rewrite!(prepared, LOUD);
  expect(textOf(rewritten)).toBe('read  page');
  const narrow = plan([model('acme/other', [{ ...endpoint('p1'), contextLength: 4 }])], {}).legs[0]!;
  expect(textOf(everyHook.fit!(rewritten, narrow, LOUD))).toBe('read');
  expect(await everyHook.judgeRequest!(asking('forbidden'), LOUD, context)).toMatchObject({ passes: false });
});

it('answers, and what it watches and changes obeys the grammar', async () => {
  const answer = everyHook.answer!(asking('quietly'), LOUD, context);
  const builder = new ReplyBuilder();
  const steps = new GrammarCheck(everyHook.watch!(asking('x'), LOUD)!);
  for await (const batch of pump(answer, steps)) for (const event of batch) builder.push(event);
  const reply = builder.finish();
  expect(reply.blocks[0]!.text).toBe('HEARD: QUIETLY');
  expect(await everyHook.judgeReply!(reply, LOUD, context)).toEqual({ passes: true });
  expect(everyHook.watch!(asking('x'), { shouts: false })).toBeUndefined();
});

it('ends with its generation', async () => {
  abort.abort(new CallerGone());
  await expect(everyHook.prepare!(asking('x'), LOUD, context)).rejects.toThrow(CallerGone);
});
