// Checks that a caller whose gateway tools run endlessly, fetch endless replies or read costly documents takes
// nothing from others: their requests are answered as usual, their tools have a thread soon, and the process keeps
// to its memory. The attacker's model makes the tool calls of the attacker's choice, and the attacker has pages of
// its own; victims run beside (victim-bench.ts), one of which uses tools as well.
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { JsonBody } from '../support/recorded-request.js';
import { HOSTILE_HTML, HOSTILE_PDF } from '../support/hostile-pages.js';
import { flood, startWebServer, trickle, whole, type WebServer } from '../support/web-server.js';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';
import { ToolCaller, type ToolCall } from './tool-caller.js';

const MIB = 1024 * 1024;
/** Requests at once of one key: the limit of running tools is per key. */
const AT_ONCE = 12;
/** The time in which every sender sends once, in turn: floods of requests are the subject of `shares.spec.ts`. */
const ROUND_MS = 500;
/**
 * The most time that a victim's tool takes: its turn, a thread that is loaded again, and the rest of a busy machine.
 */
const NEIGHBOUR_MS_MAX = 8_000;
/** Bytes in flight twice, for what has not been collected yet, two threads at their limits, and a gateway at rest. */
const MEMORY_MAX = 2_048 * MIB;
const MINUTE = 60_000;

const BASH = { type: 'openrouter:bash', parameters: { engine: 'openrouter' } };
const FETCH = { type: 'openrouter:web_fetch', parameters: { max_content_tokens: 250_000 } };
const run = (command: string): ToolCall => ({ name: 'bash', input: { command } });
const read = (url: string): ToolCall => ({ name: 'web_fetch', input: { url } });

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'loops and bombs': [
    'while true; do :; done',
    ':(){ :|:& };:',
    'while true; do echo yes; done',
    'f() { f; }; f',
    'echo "bash x" > x; bash x',
    'awk "BEGIN { while (1) {} }"',
    'echo a | sed ":a; s/a/a/; ta"',
    'for i in $(seq 1 1000); do sleep 1000 & done; wait',
  ],
  'memory and output': [
    'echo {1..1000000000}',
    'printf "%01000000000d" 1',
    'x=aaaaaaaa; while true; do x=$x$x; done',
    'a=(); while true; do a+=(0123456789012345678901234567890123456789); done',
    `awk 'BEGIN { while (1) a[i++] = "0123456789012345678901234567890123456789" i }'`,
    'for i in 1 2 3 4 5 6 7; do printf "%01000000d" 1 > f$i; done',
    'for i in $(seq 1 200); do printf "%01000000d" 1; done',
    'x=$(printf "%016000000d" 1); for i in $(seq 1 40); do eval "y$i=\\${x}$i"; done',
  ],
  'expressions that backtrack': [
    `echo ${'a'.repeat(5_000)} | grep -E "(a*)*(a*)*(a*)*b"`,
    `echo ${'a'.repeat(5_000)} | sed -E "s/(a|aa)+(a|aa)+c/x/"`,
    `echo ${'a'.repeat(5_000)} | awk '/(a|aa)+(a|aa)+c/ { print }'`,
    `[[ ${'a'.repeat(5_000)} =~ (a|a?)+b ]]`,
    `case ${'a'.repeat(2_000)} in ${'*a'.repeat(50)}b) ;; esac`,
    'seq 1 60000 > a; seq 60000 -1 1 > b; diff a b | wc -l',
    'jq -n "[range(1e9)] | length"',
    `x=${'a'.repeat(5_000)}; echo \${x//*a*a*a*b/c}`,
  ],
};

describe('tools', () => {
  let bench: VictimBench;
  let caller: ToolCaller;
  let web: WebServer;
  let key: string;
  let neighbour: string;

  beforeAll(async () => {
    caller = await ToolCaller.open();
    web = await startWebServer();
    bench = await VictimBench.open({ FAIRLEAD_EGRESS_ALLOW: '127.0.0.2/32' }, [caller.entry]);
    [key, neighbour] = await Promise.all([bench.newKey(), bench.newKey()]);
  }, 2 * MINUTE);
  afterAll(async () => {
    await bench?.close();
    await caller?.close();
    await web?.close();
  });

  /**
   * One request whose model makes these calls.
   * @param signal leaves it
   * @returns `content` of each result
   */
  async function use(
    of: string,
    calls: readonly ToolCall[],
    { messages = [], signal }: { messages?: readonly object[]; signal?: AbortSignal } = {},
  ): Promise<JsonBody[]> {
    const turns = [{ role: 'user', content: JSON.stringify(calls) }, ...messages];
    const reply = await fetch(`${bench.origin}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/caller', max_tokens: 100, messages: turns, tools: [BASH, FETCH] }),
      ...(signal && { signal }),
    });
    const body = (await reply.json()) as JsonBody;
    if (reply.status !== 200) return [{ error_code: `${reply.status}` }];
    const blocks = body.content as JsonBody[];
    return blocks.filter(({ type }) => type.endsWith('_tool_result')).map((block) => block.content);
  }

  /** The results of a neighbour's tools during the attack, and the time of the slowest. */
  async function neighbourly(
    signal: AbortSignal,
  ): Promise<{ readonly outcomes: Set<string>; readonly worstMs: number }> {
    const url = web.at('/neighbour', whole('text/html', '<p>of another key'));
    const outcomes = new Set<string>();
    let worstMs = 0;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const [printed, page] = await use(neighbour, [run('echo served'), read(url)]);
      worstMs = Math.max(worstMs, performance.now() - startedAt);
      await delay(ROUND_MS / 5);
      outcomes.add(`${printed?.stdout ?? printed?.error_code} ${page?.content?.source.data ?? page?.error_code}`);
    }
    return { outcomes, worstMs };
  }

  /** @returns how often each result came: an error code, or an exit code */
  async function expectServed(attack: (signal: AbortSignal) => Promise<Map<string, number>>): Promise<Map<string, number>> {
    let answers = new Map<string, number>();
    let felt: Awaited<ReturnType<typeof neighbourly>> | undefined;
    await expectUnharmed(bench, async (signal) => {
      [felt, answers] = await Promise.all([neighbourly(signal), attack(signal)]);
    });
    expect([...felt!.outcomes]).toEqual(['served\n of another key']);
    expect(felt!.worstMs).toBeLessThan(NEIGHBOUR_MS_MAX);
    expect((await bench.memory()).most).toBeLessThan(MEMORY_MAX);
    return answers;
  } // oxfmt-ignore

  /** Tool uses that are abandoned when the attack is over. */
  const besieged = async (atOnce: number, signal: AbortSignal, calls: () => readonly ToolCall[]) => {
    const answers = new Map<string, number>();
    let sent = 0;
    await storm(atOnce, signal, async () => {
      await delay((ROUND_MS * (sent++ % atOnce)) / atOnce);
      const results = await use(key, calls(), { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return [];
      });
      for (const { error_code: code, return_code: exit, type } of results) {
        const result = String(code ?? exit ?? type);
        answers.set(result, (answers.get(result) ?? 0) + 1);
      }
    });
    return answers;
  };

  it.each(Object.keys(COMMANDS))(
    'commands of %s, more than the queue takes',
    async (kind) => {
      const calls = COMMANDS[kind]!.map(run);
      let next = 0;
      const one = () => [calls[next++ % calls.length]!];
      const answers = await expectServed((signal) => besieged(2 * AT_ONCE, signal, one));
      // One runs, sixteen wait: the others receive an error.
      expect(answers.get('too_many_requests')).toBeGreaterThan(0);
    },
    4 * MINUTE,
  );

  it('pages that never come, never end, lead in circles, unpack to much, or cost their reader a lot', async () => {
    const at = (path: string, serve: Parameters<WebServer['at']>[1]): string => web.at(path, serve);
    const urls = [
      at('/circle', (response) => response.writeHead(302, { location: '/circle' }).end()),
      at('/silent', () => undefined),
      at('/slow', trickle('text/html')),
      at('/flood', flood('text/plain', 100 * MIB)),
      at('/packed', (response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(50 * MIB, ' '))),
      ),
      ...['20,000 nested elements', '10 MB of tags', '10 MB of text', 'as deep as a page may be'].map((name, index) =>
        at(`/html-${index}`, whole('text/html', HOSTILE_HTML[name]!())),
      ),
      ...Object.keys(HOSTILE_PDF).map((name, index) =>
        at(`/pdf-${index}`, whole('application/pdf', HOSTILE_PDF[name]!())),
      ),
      at('/broken', whole('application/pdf', '%PDF-1.7\nnothing else')),
    ];
    let next = 0;
    const one = () => [read(urls[next++ % urls.length]!)];
    const answers = await expectServed((signal) => besieged(AT_ONCE, signal, one));
    expect(answers.get('url_not_accessible')).toBeGreaterThan(0);
  }, 4 * MINUTE); // oxfmt-ignore

  it('large pages, many a reply, that all stay until it ends', async () => {
    const url = web.at('/mebibyte', whole('text/plain', Buffer.alloc(MIB, 'word ')));
    const some = () => Array.from({ length: 8 }, () => read(url));
    const answers = await expectServed((signal) => besieged(AT_ONCE, signal, some));
    expect(answers.get('web_fetch_result')).toBeGreaterThan(0);
  }, 4 * MINUTE); // oxfmt-ignore

  it('histories of thousands of results, whose seals are forged', async () => {
    const sealed = `fl1.00000000-0000-4000-8000-000000000000.${'A'.repeat(100_000)}`;
    const page = { type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: sealed, page_age: null }; // oxfmt-ignore
    const turns = Array.from({ length: 40 }, (_, index) => {
      const id = `srvtoolu_fl${String(index).padStart(22, '0')}`;
      return [
        { type: 'server_tool_use', id, name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: id, content: [page, page, page, page] },
      ];
    });
    const history = [
      { role: 'assistant', content: turns.flat() },
      { role: 'user', content: 'go on' },
    ];
    const answers = await expectServed((signal) =>
      storm(2, signal, async () => (await use(key, [run('true')], { messages: history })).map(({ return_code: exit }) => exit).join()),
    );
    expect([...answers.keys()]).toEqual(['0']);
  }, 4 * MINUTE); // oxfmt-ignore
});
