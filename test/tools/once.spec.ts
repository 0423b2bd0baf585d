/**
 * Tools and plugins of the gateway run once inside a request that runs once, be it repeated later or while a tool or
 * plugin runs, and inside a reply that comes from the response cache: their engines are called once, and are paid once.
 * Scripted models and a search engine that counts its calls, in each format, whole and streamed, on both databases.
 */
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { describeOnEachDatabase } from '../support/database.js';
import { after, gate } from '../http/messages-bench.js';
import { answers, CALL, calls, FOUND, LoopBench, PRICES, USES } from './faults-bench.js';

const MODES = ['/messages', '/chat/completions', '/responses'].flatMap((path) =>
  [false, true].map((stream) => ({ path, stream })),
);
/** A stream has it in pieces. */
const SEARCHED = /Searc[^]*hed\./;
const TURNS = { messages: [{ role: 'user', content: 'What now?' }] };

describeOnEachDatabase('a request with tools or plugins that is sent twice', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const search = { type: 'openrouter:web_search', parameters: { engine: 'exa' } };

  interface Reply {
    readonly response: Response;
    readonly text: string;
  }
  /** A way to send a body with a new key of the API. */
  async function sender(path: string, fields: object, headers: Record<string, string>) {
    const { key } = await bench.gateway.newKey();
    const input =
      path === '/responses' ? { input: 'What now?', max_output_tokens: 1_000 } : { ...TURNS, max_tokens: 1_000 };
    const body = JSON.stringify({ model: 'test/main', ...input, ...fields });
    const init = { method: 'POST', key, headers: { 'content-type': 'application/json', ...headers }, body };
    const send = async (): Promise<Reply> => {
      const response = await bench.gateway.request(path, init);
      return { response, text: await response.text() };
    };
    const spent = async (): Promise<number> => {
      await bench.ledger.rest();
      const response = await bench.gateway.request('/key', { key });
      return ((await response.json()) as { data: { usage: number } }).data.usage;
    };
    return { send, spent };
  }
  /** Sends a body twice. @returns both replies, and what was spent */
  async function twice(path: string, fields: object, headers: Record<string, string>) {
    const { send, spent } = await sender(path, fields, headers);
    const [first, again] = [await send(), await send()];
    return { first, again, spent: await spent() };
  }
  /** Sends a body, and again while the search engine works. @returns both replies, and what was spent */
  async function joined(path: string, fields: object) {
    const { send, spent } = await sender(path, fields, { 'idempotency-key': 'joined' });
    const held = gate();
    bench.upstreams.engine.script(after(held.opened, () => FOUND));
    const searched = bench.upstreams.engine.request(0);
    const claims = jest.spyOn(bench.gateway.gateway.app.get(KeptReplies, { strict: false }), 'claim');
    try {
      const first = send();
      await searched;
      const joining = send();
      while (claims.mock.results.length < 2) await bench.turns();
      // It reads the reply of the first one before there is any.
      const { isFirst, log } = (await claims.mock.results[1]!.value) as Awaited<ReturnType<KeptReplies['claim']>>;
      expect([isFirst, log.end]).toEqual([false, undefined]);
      held.open();
      return { first: await first, again: await joining, spent: await spent() };
    } finally {
      held.open();
      claims.mockRestore();
    }
  }
  const counts = (): number[] => [bench.upstreams.main.requests.length, bench.upstreams.engine.requests.length];

  it.each(MODES)('$path, stream $stream: a tool, by its idempotency key', async ({ path, stream }) => {
    bench.begin(calls(USES.search), answers('Searched.'));
    const { first, again, spent } = await twice(path, { stream, tools: [search] }, { 'idempotency-key': 'tool' });
    expect([first.response.status, again.response.headers.get('x-fairlead-idempotent-replay')]).toEqual([200, 'true']);
    expect(first.text).toMatch(SEARCHED);
    expect(again.text).toBe(first.text);
    expect(counts()).toEqual([2, 1]);
    const { cost } = await bench.row(first.response.headers.get('x-generation-id')!);
    expect(Math.round(spent * 1e6)).toBe(cost);
  });

  it.each(MODES)('$path, stream $stream: a plugin, by its idempotency key', async ({ path, stream }) => {
    bench.begin(answers('With pages.'));
    const plugins = [{ id: 'web', engine: 'exa' }];
    const { first, again, spent } = await twice(path, { stream, plugins }, { 'idempotency-key': 'plugin' });
    expect([first.response.status, again.text]).toEqual([200, first.text]);
    expect(counts()).toEqual([1, 1]);
    const { cost } = await bench.row(first.response.headers.get('x-generation-id')!);
    expect(Math.round(spent * 1e6)).toBe(cost);
  });

  it.each([
    ...MODES.map((mode) => ({ ...mode, what: 'tool', fields: { tools: [search] }, counted: [2, 1] })),
    ...MODES.map((mode) => ({ ...mode, what: 'plugin', fields: { plugins: [{ id: 'web', engine: 'exa' }] }, counted: [1, 1] })), // oxfmt-ignore
  ])('$path, stream $stream: a $what, joined while it runs', async ({ path, stream, what, fields, counted }) => {
    bench.begin(...(what === 'tool' ? [calls(USES.search)] : []), answers('Searched.'));
    const { first, again, spent } = await joined(path, { stream, ...fields });
    const replays = [first, again].map(({ response }) => response.headers.get('x-fairlead-idempotent-replay'));
    expect([first.response.status, again.response.status, ...replays]).toEqual([200, 200, null, 'true']);
    expect(first.text).toMatch(SEARCHED);
    expect(again.text).toBe(first.text);
    expect(counts()).toEqual(counted);
    const { cost } = await bench.row(first.response.headers.get('x-generation-id')!);
    expect(cost).toBe(counted[0]! * CALL + PRICES.search);
    expect(Math.round(spent * 1e6)).toBe(cost);
  });

  it.each(MODES)('$path, stream $stream: a tool, by the response cache', async ({ path, stream }) => {
    bench.begin(calls(USES.search), answers('Searched.'));
    const { first, again, spent } = await twice(path, { stream, tools: [search] }, { 'x-fairlead-cache': 'true' });
    const statuses = [first, again].map(({ response }) => response.headers.get('x-fairlead-cache-status'));
    expect(statuses).toEqual(['MISS', 'HIT']);
    expect(again.text).toMatch(SEARCHED);
    // The result of the search is in both replies alike.
    const found = ({ text }: { readonly text: string }): number => text.split('https://one.example/a').length;
    expect(found(again)).toBe(found(first));
    expect(counts()).toEqual([2, 1]);
    const { cost } = await bench.row(first.response.headers.get('x-generation-id')!);
    expect(Math.round(spent * 1e6)).toBe(cost);
  });
});
