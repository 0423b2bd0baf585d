/**
 * Checks that the longest conversations that a body may hold, and the longest replies that a provider may give, delay
 * no other request in any dialect. The real application runs with a sender and an upstream in another thread that
 * supports every format; the event loop is watched meanwhile.
 */
import { DIALECT_IDS } from '../../src/core/routing/catalog.js';
import { API_KEY, extendedCatalogOf, startGateway, type CatalogEntry, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { PeerThread } from './peer-thread.js';
import { delayDuring } from './loop-delay.js';

const MINUTE = 60_000;
const DIALECTS = DIALECT_IDS.filter((id) => id !== 'simulated');
/** The replies of the upstream, by the first segment of its address. */
const REPLIES = ['text', 'texts', 'calls', 'arguments'] as const;
type Kind = 'short' | (typeof REPLIES)[number];

/** Takes prompts of any length. */
const ROOMY = { context_length: 1_000_000_000 };
/** The prefix of a dialect's own path. */
const BASE_PATHS: Readonly<Partial<Record<string, string>>> = { 'openai-chat': '/v1', 'openai-responses': '/v1' };

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const hello = { role: 'user', content: 'word' };
const marked = { type: 'text', text: 'word', cache_control: { type: 'ephemeral' } };
const ROLES = ['user', 'system', 'assistant'];

/** Calls and their results. */
const called = (calls: readonly { id: string; input: object }[]): object => ({
  messages: [
    hello,
    { role: 'assistant', content: calls.map(({ id, input }) => ({ type: 'tool_use', id, name: 'f', input })) },
    { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) },
  ],
});

const CONVERSATIONS: readonly (readonly [string, () => object])[] = [
  ['100,000 messages with instructions among them', () => ({ messages: times(100_000, (index) => ({ role: ROLES[index % 3], content: 'word' })) })],
  ['80,000 marked texts', () => ({ messages: times(4, (index) => ({ role: index % 2 ? 'assistant' : 'user', content: times(20_000, () => marked) })) })],
  ['20,000 calls by ids that no provider takes', () => called(times(20_000, (index) => ({ id: `${'é'.repeat(80)}${index}`, input: {} })))],
  ['10,000 calls in messages of their own', () => ({ messages: [hello, ...times(10_000, (index) => [{ role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'f', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: 'ok' }] }]).flat()] })],
  ['a call of 5 MiB', () => called([{ id: 't', input: { list: times(50_000, (index) => `${index} ${'x'.repeat(100)}`) } }])],
  ['10,000 tools', () => ({ messages: [hello], tools: times(10_000, (index) => ({ name: `t${index}`, input_schema: { type: 'object', properties: { a: { type: 'string', enum: ['a', 'b'] }, b: { type: 'integer', minimum: 1 } }, required: ['a'] } })) })],
  ['60 texts of half a MiB', () => ({ messages: [{ role: 'user', content: times(60, () => ({ type: 'text', text: 'word '.repeat(100_000) })) }] })],
]; // oxfmt-ignore

describeOnEmbedded('long conversations', (database) => {
  let gateway: TestGateway;
  let peerThread: PeerThread;

  beforeAll(async () => {
    peerThread = await PeerThread.start();
    const entryOf = (dialect: (typeof DIALECTS)[number], kind: Kind): CatalogEntry => ({
      id: `${kind}/${dialect}`,
      at: [{ url: `${peerThread.origin}/${kind}${BASE_PATHS[dialect] ?? ''}`, dialect }],
      model: ROOMY,
    });
    const kinds: readonly Kind[] = ['short', ...REPLIES];
    gateway = await startGateway(database, {
      catalog: extendedCatalogOf(...DIALECTS.flatMap((dialect) => kinds.map((kind) => entryOf(dialect, kind)))),
      variables: { LOG_LEVEL: 'error', FAIRLEAD_FLOOD: 'account=1000000/10s,auth=1000000/60s' },
    });
  }, MINUTE);
  afterAll(async () => {
    await gateway?.close();
    await peerThread?.close();
  });

  async function expectInTime(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` };
    const order = { url: `${gateway.origin}/api/v1${path}`, method: 'POST', headers, body: JSON.stringify(body) };
    const { delayMs, boundMs, outcome } = await delayDuring(peerThread, order);
    expect(`${outcome.status} ${outcome.status === 200 ? '' : outcome.text}`).toBe('200 ');
    expect(delayMs).toBeLessThan(boundMs);
  }

  describe.each(DIALECTS)('over %s', (dialect) => {
    it.each(CONVERSATIONS)('of %s', async (_, parts) => {
      await expectInTime('/messages', { model: `short/${dialect}`, max_tokens: 9, ...parts() });
    }, 2 * MINUTE); // oxfmt-ignore

    it.each(REPLIES.flatMap((kind) => ['/messages', '/chat/completions'].map((path) => [kind, path] as const)))(
      'with a reply of many %s to %s',
      async (kind, path) => {
        await expectInTime(path, { model: `${kind}/${dialect}`, max_tokens: 9, messages: [hello] });
      },
      2 * MINUTE,
    );
  });
});
