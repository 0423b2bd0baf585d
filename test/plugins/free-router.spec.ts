/**
 * `openrouter/free` is answered by one of the free models that take the request, drawn by the seed and kept by a
 * session, and costs nothing. A double of three free models, whole and streamed, on both faces. Rules:
 * docs/use/plugins/free-router.md.
 */
import { describeOnEmbedded } from '../support/database.js';
import { CHAT, FACES, RoutersBench } from './routers-bench.js';

const FREE = ['test/one:free', 'test/two:free', 'test/three:free'];
const free = (options: object = {}): object => ({
  model: 'openrouter/free',
  plugins: [{ id: 'auto-router', ...options }],
});

describeOnEmbedded('the router openrouter/free', (database) => {
  let bench: RoutersBench;
  let key: string;
  beforeAll(async () => {
    bench = await RoutersBench.start(database);
    ({ key } = await bench.loop.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    it('is answered by a free model, free of charge', async () => {
      const reply = await bench.ask(route, CHAT, { ...free(), stream }, key);
      expect(reply.status).toBe(200);
      expect(FREE).toContain(reply.model);
      expect(reply.router_metadata).toMatchObject({ requested: 'openrouter/free', strategy: 'free' });
      expect(reply.router_metadata.pipeline[0]).toMatchObject({ name: 'auto-router', data: { considered: 4 } });
      expect((await bench.loop.ledger.generation(reply.id)).cost ?? '0').toMatch(/^0/);
    });

    it('calls another free model where the first fails', async () => {
      const failing = FREE.map((id) => id.replace('test/', '')).filter((slug) => !slug.startsWith('two'));
      bench.begin(...failing);
      const reply = await bench.ask(route, CHAT, { ...free(), stream }, key);
      expect([reply.status, reply.model]).toEqual([200, 'test/two:free']);
    });
  });

  it('draws evenly and repeatably by the seed', async () => {
    const drawn = new Map<string, number>();
    for (let seed = 0; seed < 60; seed++) {
      const { models } = await bench.explainSeeded(CHAT, free(), key, `seed-${seed}`);
      drawn.set(models[0], (drawn.get(models[0]) ?? 0) + 1);
    }
    expect([...drawn.keys()].sort()).toEqual([...FREE].sort());
    const [one, other] = [
      await bench.explainSeeded(CHAT, free(), key, 's'),
      await bench.explainSeeded(CHAT, free(), key, 's'),
    ];
    expect(one).toEqual(other);
  });

  it('keeps a session at one model', async () => {
    const fields = { ...free(), session_id: 'one' };
    const models = new Set<string>();
    for (let turn = 0; turn < 4; turn++) models.add((await bench.ask('/messages', CHAT, fields, key)).model);
    expect(models.size).toBe(1);
  });

  it('draws among the models of its list, and refuses with 404 where none is left', async () => {
    expect((await bench.ask('/messages', CHAT, free({ allowed_models: ['test/t*'] }), key)).model).toMatch(/^test\/t/);
    const { status, error } = await bench.ask('/messages', CHAT, free({ allowed_models: ['test/best'] }), key);
    expect([status, error.message]).toEqual([404, expect.stringContaining('No model is left for openrouter/free')]);
  });

  it('stores a decision that reproduces the choice', async () => {
    const reply = await bench.ask('/messages', CHAT, free(), key);
    expect(await bench.decision(reply.id)).toMatchObject({
      derivation: 'derived',
      choice: { by: 'auto-router', strategy: 'free' },
      plan: { models: [reply.model, expect.any(String), expect.any(String)] },
    });
  });
});
