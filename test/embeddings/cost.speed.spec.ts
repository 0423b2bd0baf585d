/**
 * Goal: a request of vectors costs no more processor time than a Messages reply in one piece does. Method: both of the
 * provider that is built in, in one process and by turns, until the least of a turn of vectors is no more than the
 * least of a turn of messages; SPARE is for what the measure itself varies by.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';

const SPARE = 1.1;
const ROUNDS_MAX = 12;
const REQUESTS = 320;
const AT_ONCE = 16;
const text = 'The fairlead leads the rope where it should run.';

const MESSAGES = { model: 'sandbox/echo', max_tokens: 64, messages: [{ role: 'user', content: text }] };
const VECTORS: readonly [string, string, object][] = [
  ['base64', '/embeddings', { model: 'sandbox/embeddings', input: text, encoding_format: 'base64' }],
  ['numbers', '/embeddings', { model: 'sandbox/embeddings', input: text }],
  ['a ranking', '/rerank', { model: 'sandbox/rerank', query: 'rope', documents: [text] }],
];

describeOnEmbedded('cost of a request of vectors', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, {
      variables: { LOG_LEVEL: 'info', FAIRLEAD_FLOOD: 'account=100000000/10s' },
    });
  }, 240_000);
  afterAll(() => gateway?.close());

  async function ask(path: string, body: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(path, { method: 'POST', headers, body });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  }

  async function microseconds(path: string, body: object): Promise<number> {
    const sent = JSON.stringify(body);
    const before = process.cpuUsage();
    for (let done = 0; done < REQUESTS; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path, sent)));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / REQUESTS;
  }

  it.each(VECTORS)(
    '%s',
    async (_what, path, body) => {
      let [messages, vectors] = [Infinity, Infinity];
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        messages = Math.min(messages, await microseconds('/messages', MESSAGES));
        vectors = Math.min(vectors, await microseconds(path, body));
        if (round > 1 && vectors <= messages * SPARE) break;
      }
      expect(vectors).toBeLessThanOrEqual(messages * SPARE);
    },
    300_000,
  );
});
