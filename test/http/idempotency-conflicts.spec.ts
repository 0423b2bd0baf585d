/**
 * Other requests under an idempotency key that is in use are refused on every route, whole and streamed, while the
 * first request runs and later. A body that differs in white space alone is the same request. The real application
 * over HTTP, on both databases, with upstreams that the test holds back.
 */
import { startGateway, type TestGateway, catalogOf } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { after, gate } from './messages-bench.js';
import { ALL, replyOf, taskEntries } from './once-faces.js';

const REPLAY = 'x-fairlead-idempotent-replay';

describeOnEachDatabase('other requests under the same idempotency key', (database) => {
  let gateway: TestGateway;
  let turns: Upstream;
  let tasks: Upstream;
  let names = 0;
  beforeAll(async () => {
    [turns, tasks] = await Promise.all([startUpstream('anthropic'), startUpstream('openai')]);
    tasks.strict = false;
    const native = { id: 'test/native', at: [{ url: turns.url, dialect: 'anthropic-messages' as const }] };
    const catalog = catalogOf(native, ...taskEntries(tasks.url));
    gateway = await startGateway(database, { catalog, coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await turns?.close();
    await tasks?.close();
  });

  const newName = (): string => `other ${++names}`;
  const upstreamOf = (path: string): Upstream => (/embeddings|rerank/.test(path) ? tasks : turns);
  const post = (path: string, body: object | string, name: string): Promise<Response> =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': name },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const errorOf = async (response: Response): Promise<JsonBody> => ((await response.json()) as JsonBody).error;

  it.each(ALL)('are refused while the first one runs, which is undisturbed: %s %j', async (path, body) => {
    const upstream = upstreamOf(path);
    const [before, name, held] = [upstream.requests.length, newName(), gate()];
    upstream.script(after(held.opened, replyOf(path)));
    const from = Date.now();
    const first = post(path, body, name);
    await upstream.request(before);
    const to = Date.now();
    const refused = await post(path, { ...body, user: 'another' }, name);
    expect([refused.status, refused.headers.get(REPLAY)]).toEqual([409, null]);
    const { message, metadata } = await errorOf(refused);
    expect([metadata.error_type, metadata.charged]).toEqual(['idempotency_conflict', null]);
    const [usedAt, id] = [metadata.first_used_at, metadata.generation_id];
    expect(message).toContain(`was used for another request (generation ${id}) at ${usedAt};`);
    expect([Date.parse(usedAt) >= from, Date.parse(usedAt) <= to]).toEqual([true, true]);
    held.open();
    const reply = await first;
    expect([reply.status, reply.headers.get('x-generation-id')]).toEqual([200, id]);
    const text = await reply.text();
    const again = await post(path, body, name);
    expect([again.status, await again.text()]).toEqual([200, text]);
    // Later it is refused with the same time.
    const late = (await errorOf(await post(path, { ...body, user: 'another' }, name))).metadata;
    expect([late.first_used_at, late.generation_id]).toEqual([usedAt, id]);
    expect(upstream.requests.length).toBe(before + 1);
  });

  it.each(ALL)('are none where white space alone differs, and are where the order does: %s %j', async (path, body) => {
    const upstream = upstreamOf(path);
    const [before, name] = [upstream.requests.length, newName()];
    upstream.script(replyOf(path));
    const text = await (await post(path, body, name)).text();
    const spaced = JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n ');
    const again = await post(path, ` ${spaced}\n`, name);
    expect([again.status, again.headers.get(REPLAY), await again.text()]).toEqual([200, 'true', text]);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    const other = await post(path, turned, name);
    expect([other.status, (await errorOf(other)).metadata.error_type]).toEqual([409, 'idempotency_conflict']);
    expect(upstream.requests.length).toBe(before + 1);
  });
});
