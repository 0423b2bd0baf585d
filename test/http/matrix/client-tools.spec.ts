/**
 * Goal: the tools of a caller that are no functions on the third face (a custom tool, both shells, the patch tool) are
 * called by models of every dialect on each platform, whole and streamed, and their calls and outputs return to the
 * model in the next turn, with equal texts; where the upstream has the same format, as equal items. Method: the
 * application before strict doubles, whose models call all four tools in one reply.
 */
import { isDeepStrictEqual } from 'node:util';
import { describeOnEmbedded } from '../../support/database.js';
import type { DoubleReply } from '../../support/doubles/double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { readResponseEvents } from '../../support/response-events.js';
import { promptFault } from '../../tools/matrix/matrix-client.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';

const TEXT = '*** Begin Patch\n+ "Grüße" \\ 你好 👋\n\t{"a":1}\r\n*** End Patch\n';
const DIFF = '@@\n-Hello\n+Ahoi "\\" 👋\n';
const COMMAND = 'printf \'%s\\n\' "Grüße 👋"';

/** A tool, its call as the caller receives it, and its output. */
interface ClientTool {
  readonly tool: JsonBody;
  /** What models of other formats call it with. */
  readonly name: string;
  readonly input: JsonBody;
  readonly call: JsonBody;
  readonly output: (call: JsonBody) => JsonBody;
  /** The output as models of other formats read it. */
  readonly read: string;
}

const RAN = [{ stdout: 'Grüße 👋\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
const TOOLS: readonly ClientTool[] = [
  {
    tool: { type: 'custom', name: 'patch', description: 'Changes files.' },
    name: 'patch',
    input: { input: TEXT },
    call: { type: 'custom_tool_call', name: 'patch', input: TEXT },
    output: ({ call_id }) => ({ type: 'custom_tool_call_output', call_id, output: 'applied: "a\\b" 👋' }),
    read: 'applied: "a\\b" 👋',
  },
  {
    tool: { type: 'shell' },
    name: 'shell',
    input: { commands: [COMMAND, 'ls'], timeout_ms: 5_000, max_output_length: 4_096 },
    call: { type: 'shell_call', action: { commands: [COMMAND, 'ls'], timeout_ms: 5_000, max_output_length: 4_096 } },
    output: ({ call_id }) => ({ type: 'shell_call_output', call_id, output: RAN, max_output_length: 4_096 }),
    read: JSON.stringify(RAN),
  },
  {
    tool: { type: 'local_shell' },
    name: 'local_shell',
    input: { command: ['sh', '-c', COMMAND], env: { A: '"b"' }, working_directory: '/tmp' },
    call: { type: 'local_shell_call', action: { type: 'exec', command: ['sh', '-c', COMMAND], env: { A: '"b"' }, working_directory: '/tmp' } },
    output: ({ call_id: id }) => ({ type: 'local_shell_call_output', id, output: '{"exit":0}\n👋' }),
    read: '{"exit":0}\n👋',
  },
  {
    tool: { type: 'apply_patch' },
    name: 'apply_patch',
    input: { operation: { type: 'update_file', path: 'a "b".txt', diff: DIFF } },
    call: { type: 'apply_patch_call', operation: { type: 'update_file', path: 'a "b".txt', diff: DIFF } },
    output: ({ call_id }) => ({ type: 'apply_patch_call_output', call_id, status: 'failed', output: 'no such line: 👋' }),
    read: 'no such line: 👋',
  },
]; // oxfmt-ignore

const CALLS: DoubleReply = {
  parts: [
    { type: 'text', text: 'I run all of them.' },
    ...TOOLS.map(({ name, input }, index) => ({ type: 'call', id: `call_${index}`, name, input }) as const),
  ],
};
const LAST: DoubleReply = { parts: [{ type: 'text', text: 'Aye.' }] };

describeOnEmbedded('tools of the caller that are no functions', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const tools = TOOLS.map(({ tool }) => tool);
  const begin: JsonBody[] = [{ role: 'user', content: 'Run all tools.' }];

  async function output(pair: Pair, messages: readonly JsonBody[], stream: boolean): Promise<JsonBody[]> {
    const response = await bench.send('/responses', { model: pair.id, max_tokens: 1_000, tools, messages, stream });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    const whole: JsonBody = stream ? readResponseEvents(text).at(-1).response : JSON.parse(text);
    expect(whole.status).toBe('completed');
    return whole.output;
  }

  it.each(PAIRS.flatMap((pair) => [false, true].map((stream) => ({ ...pair, stream }))))(
    'come and go at $id, stream $stream',
    async ({ stream, ...pair }) => {
      const double = bench.doubleOf(pair);
      double.script(CALLS);
      double.calls.length = 0;
      const items = await output(pair, begin, stream);
      const calls = items.filter(({ type }) => type !== 'message' && type !== 'reasoning');
      expect(calls).toEqual(
        TOOLS.map(({ call }) => ({
          ...call,
          id: expect.any(String),
          call_id: expect.any(String),
          status: 'completed',
        })),
      );
      double.script(LAST);
      const results = calls.map((call, index) => TOOLS[index]!.output(call));
      expect(await output(pair, [...begin, ...items, ...results], stream)).toMatchObject([
        { content: [{ text: 'Aye.' }] },
      ]);
      expect(double.violations).toEqual([]);
      const [first, second] = double.calls.map(({ body }) => body);
      expect(double.calls).toHaveLength(2);
      expect(promptFault(pair.dialect, first, second)).toBe('');
      if (pair.dialect === 'openai-responses') {
        // One message and the calls, then the results: as the caller has them.
        expect(second.input.slice(2)).toEqual([...calls, ...results]);
        expect(second.tools).toEqual(tools);
        return;
      }
      const sent = nodesOf(second);
      for (const { input, read } of TOOLS) {
        expect([input, sent.some((node) => isDeepStrictEqual(valueOf(node), input))]).toEqual([input, true]);
        expect([read, sent.some((node) => typeof node === 'string' && node.includes(read))]).toEqual([read, true]);
      }
    },
  );
});

/** All values inside of a body. */
const nodesOf = (value: unknown): unknown[] => [
  value,
  ...(typeof value === 'object' && value !== null ? Object.values(value).flatMap(nodesOf) : []),
];

/** Arguments are an object, or its JSON. */
function valueOf(node: unknown): unknown {
  if (typeof node !== 'string' || !node.startsWith('{')) return node;
  try {
    return JSON.parse(node);
  } catch {
    return node;
  }
}
