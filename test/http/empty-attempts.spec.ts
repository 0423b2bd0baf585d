// Goal: behind an answer of nothing the next endpoint is tried, nothing is charged for it, and its endpoint's health
// hears of it. Method: scripted chat upstreams before the real application, in the shapes in which nothing comes; the
// reply, its attempts, the charge and the figures of the endpoint.
import { ENDINGS } from '../../src/core/generation/ending.js';
import { describeOnEachDatabase } from '../support/database.js';
import { openaiReply } from '../support/openai-upstream.js';
import { json, sse, type Script } from '../support/upstream-answers.js';
import { ask, inTurn, model, RoutingBench } from './routing-bench.js';

const usageOf = (completion_tokens: number): object => ({
  prompt_tokens: 10,
  completion_tokens,
  total_tokens: 10 + completion_tokens,
});
const HEAD = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
const chunk = (value: object): string =>
  `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...value })}\n\n`;

/** A choice, whole or in one chunk. */
const choice =
  (message: object | undefined, finish_reason: string | null, outputTokens = 0): Script =>
  (request) => {
    const usage = usageOf(outputTokens);
    const choices = message === undefined ? [] : [{ index: 0, finish_reason, message, delta: message }];
    if (request.json?.stream !== true) return json({ ...HEAD, choices, usage });
    return sse([chunk({ choices }), chunk({ choices: [], usage }), 'data: [DONE]\n\n']);
  };

const EMPTY: readonly [what: string, script: Script][] = [
  ['an empty text', choice({ role: 'assistant', content: '' }, 'stop')],
  ['no text', choice({ role: 'assistant', content: null }, 'stop')],
  ['no text and no word for its end', choice({ role: 'assistant', content: '' }, null)],
  ['an unknown reason', choice({ role: 'assistant', content: '' }, 'OTHER')],
  ['a call of a tool that is none', choice({ role: 'assistant', content: '' }, 'tool_calls')],
  ['no choice', choice(undefined, null)],
];

const THOUGHT = { role: 'assistant', content: '', reasoning_content: 'Hm.' };
const UNEXPLAINED: readonly [what: string, script: Script][] = [
  ['a word that is not known', choice(THOUGHT, 'OTHER')],
  ['no word for its end', choice(THOUGHT, null)],
];

describeOnEachDatabase('an attempt that answers nothing', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: { kind: 'openai' }, beta: {} },
      models: [model('test/two', inTurn(['alpha', 'beta'])), model('test/one', inTurn(['alpha']))],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  describe.each([false, true])('stream %s', (stream) => {
    it.each(EMPTY)('of %s moves on', async (_, script) => {
      bench.script('alpha', script);
      const body = ask('test/two', { stream });
      const { status, body: reply } = await bench.ask(body, { headers: { 'x-router-metadata': 'enabled' } });
      expect([status, bench.calls]).toEqual([200, ['alpha', 'beta']]);
      expect(reply.provider).toBe('Beta');
    });

    it.each(EMPTY)('of %s costs its caller nothing where no other provider answers', async (_, script) => {
      bench.script('alpha', script);
      const { status, body } = await bench.ask(ask('test/one', { stream }));
      expect([status, body.error.message]).toEqual([502, expect.stringMatching(/without an answer|has no answer/)]);
      expect(body.error.metadata?.cost).toBeUndefined();
    });

    it.each([
      ['the limit of its output', choice({ role: 'assistant', content: '' }, 'length')],
      ['a filter', choice({ role: 'assistant', content: '' }, 'content_filter')],
      ['tokens at the end of a turn', choice({ role: 'assistant', content: '' }, 'stop', 3)],
      ['words', openaiReply({ text: '.' })],
    ])('of %s is an answer', async (_, script) => {
      bench.script('alpha', script);
      const { status } = await bench.ask(ask('test/two', { stream }));
      expect([status, bench.calls]).toEqual([200, ['alpha']]);
    });
  });

  it.each(UNEXPLAINED)('of reasoning alone with %s moves on where it is whole', async (_, script) => {
    bench.script('alpha', script);
    const { status, body } = await bench.ask(ask('test/two', { stream: false }));
    expect([status, bench.calls, body.provider]).toEqual([200, ['alpha', 'beta'], 'Beta']);
  });

  it.each(UNEXPLAINED)(
    'of reasoning alone with %s ends with an error, uncharged, where it is streamed',
    async (_, script) => {
      bench.script('alpha', script);
      const { status, events } = await bench.ask(ask('test/two', { stream: true }));
      const text = JSON.stringify(events);
      expect([status, bench.calls]).toEqual([200, ['alpha']]);
      expect(text).toContain('Hm.');
      expect(text).toContain('ended its reply without an answer');
      expect(text).not.toMatch(/"cost":[^0n]/);
    },
  );

  it.each([false, true])('of reasoning alone at the end of a turn is an answer, stream %s', async (stream) => {
    bench.script('alpha', choice(THOUGHT, 'stop'));
    const { status } = await bench.ask(ask('test/two', { stream }));
    expect([status, bench.calls]).toEqual([200, ['alpha']]);
  });

  it('is a fault of its endpoint, whose health hears of it', async () => {
    const faults = async (): Promise<number> => {
      const response = await fetch(`${bench.gateway.origin}/metrics`);
      const lines = (await response.text()).split('\n');
      const line = lines.find((one) => /^fairlead_upstream_attempts_total\{.*"alpha".*"malformed-reply"/.test(one));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    const before = await faults();
    bench.script('alpha', EMPTY[0]![1]);
    await bench.ask(ask('test/one'));
    expect(await faults()).toBe(before + 1);
    expect(ENDINGS['provider-malformed-reply']).toMatchObject({ charge: 'operator', health: 'doubtful-fault' });
  });
});
