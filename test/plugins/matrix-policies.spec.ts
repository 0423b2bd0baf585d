/**
 * Guardrails cover all that a plugin sends out, brings in and calls; a session keeps its endpoint; an explanation shows
 * what would be done without calls or costs. The table of plugins, by these axes, with strict doubles, on both faces.
 * Failures, own credentials, and what is reported, stored and charged: matrix.spec.ts.
 */
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CELLS, MatrixBench, SLUGS, type AttemptSlot, type Texts } from './matrix-bench.js';
import { ANSWER, BROUGHT, CASES, pdfOf, SECRET, type Outcome, type PluginCase } from './matrix-cases.js';

const filter = (action: 'block' | 'redact'): object => ({
  content_filters: [{ pattern: 'PRJ-\\d{4}', action, label: 'project' }],
});
const caseOf = (id: string): PluginCase => CASES.find((one) => one.id === id)!;
/** Whole on one face and streamed on the other: policies and sessions do not depend on it. */
const FACES = CELLS.filter(({ route, stream }) => stream === (route === '/chat/completions'));
const LEAKING = `What is ${SECRET}?`;

describeOnEachDatabase('policies, sessions and explanations with each plugin', (database) => {
  let bench: MatrixBench;
  let key: string;
  const keys = {} as Record<'redacting' | 'blocking' | 'onlyNext' | 'notFirst', string>;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
    ({ key } = await bench.loop.gateway.newKey());
    keys.redacting = await bench.guarded(filter('redact'));
    keys.blocking = await bench.guarded(filter('block'));
    keys.onlyNext = await bench.guarded({ ignored_models: ['test/best'] });
    keys.notFirst = await bench.guarded({ ignored_providers: [SLUGS.first] });
  }, 240_000);
  afterAll(() => bench?.close());

  const assertDone = (plugin: PluginCase, outcome: Outcome): void => {
    const { reply, stages } = outcome;
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(reply.shownText).toBe(plugin.shownText);
    plugin.shows(outcome);
    expect(stages).toHaveLength(plugin.stages.length);
  };
  const assertNothingCalled = (): void =>
    expect([bench.called, bench.asides.length]).toEqual([{ first: 0, second: 0, next: 0 }, 0]);

  describe.each(FACES)('$id on $route, stream $stream', ({ plugin, route, stream }) => {
    const ask = (by: string, fields: JsonBody = {}, words?: string): Promise<Outcome> =>
      bench.ask(plugin, route, bench.body(plugin, route, { stream, ...fields }, words), by);

    it('is sent nothing that a filter redacts, and sends it nowhere', async () => {
      bench.begin(plugin);
      assertDone(plugin, await ask(keys.redacting, {}, LEAKING));
      expect(bench.left).not.toContain(SECRET);
      // Every reader of the user's text, engines and other models included, reads the redacted form.
      const reading = [
        ...bench.requestsOf('first').slice(-1),
        ...bench.asides.filter(({ method }) => method === 'POST'),
      ];
      for (const { rawBody } of reading) expect(rawBody.toString()).toContain('[REDACTED');
    });

    it('does nothing for a blocked prompt', async () => {
      bench.begin(plugin);
      const { reply } = await ask(keys.blocking, {}, LEAKING);
      expect([reply.status, reply.error.metadata.patterns]).toEqual([403, ['project']]);
      assertNothingCalled();
    });

    it.each<['notFirst' | 'onlyNext', AttemptSlot]>([
      ['notFirst', 'second'],
      ['onlyNext', 'next'],
    ])('works at the endpoint that guardrails leave: %s', async (by, slot) => {
      bench.begin(plugin);
      const fields = route === '/messages' ? { fallbacks: [{ model: 'test/next' }] } : { models: ['test/next'] };
      const options = plugin.id === 'pareto-router' ? { plugins: [{ id: plugin.id, min_coding_score: 0 }] } : {};
      assertDone(plugin, await ask(keys[by], { ...fields, ...(by === 'onlyNext' && options) }));
      expect(bench.called).toEqual({ first: 0, second: 0, next: 0, [slot]: plugin.calls ?? 1 });
    });

    it('works again in a session, at its endpoint', async () => {
      const session_id = `${plugin.id} on ${route}, ${stream}`;
      bench.begin(plugin, ['first']);
      const { reply } = await ask(key, { session_id });
      await bench.paid(reply.id);
      bench.begin(plugin);
      const next = await ask(key, { session_id, ...plugin.otherwise });
      assertDone(plugin, next);
      expect(next.reply.model).toBe('test/best');
      // Without the session it would be the first, which works again.
      expect(bench.called).toEqual({ first: 0, second: plugin.calls ?? 1, next: 0 });
    });

    it('is explained without a call or a charge', async () => {
      bench.begin(plugin);
      const before = await bench.used();
      const { data, error } = await bench.explain(route, bench.body(plugin, route, { stream }), key);
      expect(error).toBeUndefined();
      expect(data).toMatchObject(plugin.explained as object);
      assertNothingCalled();
      expect(await bench.used()).toBe(before);
    });
  });

  describe('content that is brought in', () => {
    const secretText = `It is ${SECRET}.`;
    const BRINGING: readonly (readonly [string, Texts, JsonBody])[] = [
      ['web', { found: `${BROUGHT.found} ${secretText}` }, {}],
      ['web-fetch', { fetched: `${BROUGHT.fetched} ${secretText}` }, {}],
      ['fusion', { panel: `${BROUGHT.panel} ${secretText}` }, {}],
      [
        'file-parser',
        {},
        { messages: [{ role: 'user', content: [pdfOf('/messages', `${BROUGHT.file} ${secretText}`)] }] },
      ],
    ];

    it.each(BRINGING)('by %s is redacted before a model reads it', async (id, texts, fields) => {
      const plugin = caseOf(id);
      bench.begin(plugin, [], texts);
      const outcome = await bench.ask(plugin, '/messages', bench.body(plugin, '/messages', fields), keys.redacting);
      assertDone(plugin, outcome);
      expect(outcome.sent).toContain('It is [REDACTED:project].');
      expect(bench.left).not.toContain(SECRET);
    });

    it.each(BRINGING)('by %s is read by no model where it is blocked', async (id, texts, fields) => {
      const plugin = caseOf(id);
      bench.begin(plugin, [], texts);
      const { reply } = await bench.ask(plugin, '/messages', bench.body(plugin, '/messages', fields), keys.blocking);
      expect(bench.left).not.toContain(SECRET);
      expect([reply.status, reply.error.metadata.patterns]).toEqual([403, ['project']]);
    });
  });

  describe('models that a plugin calls', () => {
    it('are those that a guardrail allows: a panel continues without the others', async () => {
      const plugin = caseOf('fusion');
      for (const guardrail of [
        { ignored_models: ['test/one'] },
        { allowed_models: ['test/best', 'test/two', 'test/judge'] },
      ]) {
        const by = await bench.guarded(guardrail);
        bench.begin(plugin);
        const { reply, stages } = await bench.ask(plugin, '/messages', bench.body(plugin, '/messages'), by);
        expect([reply.status, reply.shownText]).toEqual([200, ANSWER]);
        const { panel } = stages[0]!.data;
        expect(panel.map(({ model, outcome }: JsonBody) => [model, outcome])).toEqual([
          ['test/one', 'left out'],
          ['test/two', 'answered'],
        ]);
        const models = bench.asides.map(({ json: body }) => body.model).sort();
        expect(models).toEqual(['upstream-judge', 'upstream-two']);
      }
    });

    it.each<[string, object]>([
      ['fusion', { ignored_providers: [SLUGS.asides] }],
      ['fusion', { ignored_models: ['test/one', 'test/two'] }],
      ['moderation', { ignored_providers: [SLUGS.asides] }],
      ['moderation', { ignored_models: ['test/guard'] }],
    ])('are none where none is allowed, and the request fails: %s %j', async (id, guardrail) => {
      const plugin = caseOf(id);
      const by = await bench.guarded(guardrail);
      bench.begin(plugin);
      const { reply } = await bench.ask(plugin, '/messages', bench.body(plugin, '/messages'), by);
      expect(reply.status).toBeGreaterThanOrEqual(403);
      assertNothingCalled();
      await bench.used();
    });
  });
});
