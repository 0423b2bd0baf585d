// Checks that fields which are not sent to a provider are named to the caller, before the call and after it. A
// request of the Messages format specifies more than a chat upstream has fields for; its plan, its attempts and the
// received body are compared.
import { describeOnEmbedded } from '../support/database.js';
import { ask, at, model, RoutingBench } from './routing-bench.js';

const FIELDS = {
  top_k: 5,
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  output_config: { effort: 'high', task_budget: { type: 'tokens', total: 20_000 } },
  context_management: { edits: [] },
  metadata: { user_id: 'ann' },
};
const SOME_BETA = 'context-management-2025-06-27';
const HEADERS = { 'anthropic-beta': SOME_BETA, 'x-router-metadata': 'enabled' };

describeOnEmbedded('what is dropped', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      providers: { alpha: {}, openai: { kind: 'openai' } },
      models: [
        model('test/chat', [at('openai', { supported_parameters: ['max_tokens'] })]),
        model('test/messages', [at('alpha')]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  it.each([
    [
      'test/chat',
      ['top_k', 'thinking', 'output_config.effort', 'output_config.task_budget', 'context_management', SOME_BETA],
    ],
    ['test/messages', []],
  ])('%s: %j', async (name, dropped) => {
    const body = ask(name, { ...FIELDS, max_tokens: 2_000 });
    const { data } = await bench.explain(body, { headers: HEADERS });
    expect(data.candidates[0].dropped).toEqual(dropped);
    const { body: reply } = await bench.ask(body, { headers: HEADERS });
    expect(reply.router_metadata.attempts[0].dropped ?? []).toEqual(dropped);
  });
});
