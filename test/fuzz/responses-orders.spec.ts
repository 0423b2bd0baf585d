/**
 * Goal: items of `POST /responses` in any order are answered, or refused by the path of an item before anything is
 * sent: calls without outputs, outputs without calls, ids that come twice, lists without a message. Method: random
 * sequences of items, sent to strict upstreams of each format, which refuse what their vendors refuse.
 */
import fc from 'fast-check';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const TIMES = Number(process.env['FAIRLEAD_FUZZ_TIMES'] ?? 1);
const SEED = Number(process.env['FAIRLEAD_FUZZ_SEED'] ?? 20_260_101);
const KINDS = [
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-chat'],
  ['responses', 'openai-responses'],
] as const;
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

const ids = ['1', '2'];
const pairs = ids.flatMap((id): object[] => [
  { type: 'function_call', call_id: id, name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: id, output: 'r' },
  { type: 'custom_tool_call', call_id: id, name: 'patch', input: 'i' },
  { type: 'custom_tool_call_output', call_id: id, output: 'r' },
]);
const ITEMS: readonly object[] = [
  ...pairs,
  { type: 'shell_call', call_id: '3', action: { commands: ['ls'] } },
  { type: 'shell_call_output', call_id: '3', output: [{ stdout: 'a', stderr: '' }] },
  { type: 'local_shell_call', id: 'l', call_id: '4', action: { type: 'exec', command: ['ls'], env: {} } },
  { type: 'local_shell_call_output', id: 'l', output: 'a' },
  { type: 'apply_patch_call', call_id: '5', operation: { type: 'delete_file', path: 'a' } },
  { type: 'apply_patch_call_output', call_id: '5', output: 'a' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] },
  { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }] },
  { role: 'user', content: 'a' },
  { role: 'user', content: [] },
  { role: 'assistant', content: 'b' },
  { role: 'assistant', content: null },
  { role: 'system', content: 's' },
  { role: 'developer', content: '' },
  { type: 'image_generation_call', result: PNG.split(',')[1] },
  { type: 'configuration_update', reasoning: { effort: 'low' } },
  { type: 'additional_tools', tools: [{ type: 'function', name: 'more' }] },
  { type: 'openrouter:datetime', datetime: 'd', timezone: 'UTC', status: 'completed' },
];
const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } },
  { type: 'custom', name: 'patch' },
  { type: 'shell' },
  { type: 'local_shell' },
  { type: 'apply_patch' },
];

describeOnEmbedded('items of responses in any order', (database) => {
  let gateway: TestGateway;
  const upstreams: Upstream[] = [];
  beforeAll(async () => {
    for (const [kind] of KINDS) upstreams.push(await startUpstream(kind));
    const entries = KINDS.map(([, dialect], index) => ({
      id: `test/${index}`,
      at: [{ url: upstreams[index]!.url, dialect }],
    }));
    gateway = await startGateway(database, { catalog: catalogOf(...entries), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  });

  async function judge(index: number, input: readonly object[]): Promise<number> {
    const upstream = upstreams[index]!;
    upstream.requests.length = 0;
    const response = await fetch(`${gateway.origin}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `test/${index}`, input, tools: TOOLS, max_output_tokens: 100 }),
    });
    const body = (await response.json()) as JsonBody;
    if (response.status === 200) return 200;
    const words = JSON.stringify([KINDS[index]![1], input, body.error, upstream.requests.map(({ json }) => json)]);
    const named = /^input(?:\.(\d+)\b)?/.exec(body.error.message);
    const isInPlace = named !== null && Number(named[1] ?? 0) < input.length;
    if (response.status !== 400 || !isInPlace || upstream.requests.length > 0) throw new Error(words);
    return 400;
  }

  it.each(KINDS.map(([kind], index) => [kind, index] as const))('at %s', async (_kind, index) => {
    for (const item of ITEMS) await judge(index, [item]);
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ITEMS), { minLength: 1, maxLength: 7 }), async (input) => {
        seen.add(await judge(index, input));
      }),
      { seed: SEED, numRuns: 200 * TIMES },
    );
    // Calls with their outputs, then shuffled.
    const whole = fc.shuffledSubarray([...ITEMS.filter((item) => 'type' in item), { role: 'user', content: 'z' }]);
    await fc.assert(
      fc.asyncProperty(whole, async (input) => {
        if (input.length > 0) seen.add(await judge(index, input));
      }),
      { seed: SEED, numRuns: 100 * TIMES },
    );
    expect([...seen].sort()).toEqual([200, 400]);
  });
});
