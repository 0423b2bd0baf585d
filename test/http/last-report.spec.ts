/**
 * Checks that the output usage which a stream reports before its last event is not charged where the last report has
 * no figure or an impossible one, and that no caller pays for a compaction of impossible size. The row and the
 * printed usage are compared for scripted upstreams of both dialects, on both faces. The model costs 3 USD per
 * million input tokens and 15 USD per million output tokens.
 */
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { frame, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, delta, OPEN } from './messages-bench.js';

const MICRO = 1e-6;
/** Forty characters: ten tokens, as an estimate has it. */
const FORTY = 'forty characters are ten tokens or so...';
const FACES = ['/messages', '/chat/completions'];

describeOnEachDatabase('the last report of a stream', (database) => {
  let gateway: TestGateway;
  let anthropic: Upstream;
  let openai: Upstream;
  let ledger: LedgerReader;

  beforeAll(async () => {
    [anthropic, openai] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    gateway = await startGateway(database, {
      catalog: catalogOf(
        { id: 'test/native', at: [{ url: anthropic.url, dialect: 'anthropic-messages' }] },
        { id: 'test/translated', at: [{ url: openai.url, dialect: 'openai-chat' }] },
      ),
      coolsDown: false,
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([anthropic, openai].map((upstream) => upstream?.close()));
  });

  async function answered(face: string, body: object): Promise<{ text: string; row: JsonBody }> {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(face, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect(response.status).toBe(200);
    return { text, row: await ledger.generation(response.headers.get('x-generation-id')!) };
  }

  const LAST: Record<string, object> = {
    'no figure': {},
    'a figure that is null': { output: null },
    'a figure below 0': { output: -4 },
    words: { output: '9' },
    'more than can be counted': { output: 1e300 },
  };
  const cases = FACES.flatMap((face) => Object.entries(LAST).map(([what, last]) => ({ face, what, last })));

  it.each(cases)('$face: a native one that reports $what is estimated', async ({ face, last }) => {
    const usage = 'output' in last ? { output_tokens: last.output } : {};
    const end =
      frame('content_block_stop', { type: 'content_block_stop', index: 0 }) +
      frame('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }) +
      frame('message_stop', { type: 'message_stop' });
    anthropic.script(sse([OPEN + delta(FORTY) + end]));
    const { text, row } = await answered(face, ask('test/native', { stream: true }));
    expect(row).toMatchObject({ prompt_tokens: '3', completion_tokens: '10', is_estimated: true });
    expect(text).toMatch(/"(output|completion)_tokens":10,/);
  });

  it.each(cases)('$face: a translated one that reports $what is estimated', async ({ face, last }) => {
    const chunk = (choices: readonly object[], more: object = {}): string =>
      frame('', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more });
    const usage = 'output' in last ? { prompt_tokens: 3, completion_tokens: last.output } : { prompt_tokens: 3 };
    openai.script(
      sse([
        chunk([{ index: 0, delta: { content: FORTY.slice(0, 4) } }], {
          usage: { prompt_tokens: 3, completion_tokens: 1 },
        }),
        chunk([{ index: 0, delta: { content: FORTY.slice(4) } }]),
        chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
        chunk([], { usage }),
        'data: [DONE]\n\n',
      ]),
    );
    const { text, row } = await answered(face, ask('test/translated', { stream: true }));
    expect(row).toMatchObject({ prompt_tokens: '3', completion_tokens: '10', is_estimated: true });
    expect(text).toMatch(/"(output|completion)_tokens":10,/);
  });

  it.each(FACES)('%s: a compaction of more than can be costs the bound', async (face) => {
    const iterations = [
      { type: 'compaction', input_tokens: 150_000, output_tokens: 9_000 },
      { type: 'message', input_tokens: 12, output_tokens: 7 },
    ];
    anthropic.script(anthropicText('Hi.', { usage: { iterations } }));
    const { row } = await answered(face, ask('test/native'));
    expect(row).toMatchObject({ cost: row.bound, is_over_bound: true });
    const expected = 150_012 * 3 + 9_007 * 15;
    expect(Math.round((Number(row.cost) + Number(row.operator_cost)) / MICRO)).toBe(expected);
  });
});
