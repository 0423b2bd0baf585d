/**
 * Goal: a loop of tools whose process is killed is charged exactly for the calls and uses that had ended, for the open
 * call by what the last beat saw of it, and nothing stays held; another replica goes on with the conversation and its
 * container. Method: processes of their own before doubles that hold three loops at three stages, killed at once; on
 * PostgreSQL another replica settles, on the embedded database the next process. Rules: docs/ledger.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { verifyLedger } from '../../src/ledger/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, ENCRYPTION_KEY } from '../support/app.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { copyPreparedStore } from '../support/prepared-store.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, neverAnswers, sse, type Script } from '../support/upstream-answers.js';
import { delta, OPEN } from '../http/messages-bench.js';
import { CALL, calls, FOUND, LoopBench, microUsd, PRICES, says, USES } from './faults-bench.js';

/** Past fifteen seconds without a beat. */
const DEAD_MS = 16_000;
const FORTY = 'forty characters are ten tokens or so...';
/** In millionths of a USD: three tokens of prompt that were reported, and ten that were seen. */
const SEEN = 3 * 3 + 10 * 15;
const ENDED = CALL + PRICES.search;

/** What each loop is charged, by what its caller asks. */
const STAGES = {
  // Two calls and a search have ended; the second search is open.
  tool: ENDED + CALL,
  // Nothing has come of the second call, and no beat has seen it.
  sent: ENDED,
  seen: ENDED + SEEN,
};
type Stage = keyof typeof STAGES;

/** How many calls of the model this one is the next of. */
const stepOf = (body: JsonBody): number => body.messages.filter(({ role }: JsonBody) => role === 'assistant').length;

const model: Script = (request, index) => {
  const { json: body } = request;
  const stage = (JSON.stringify(body.messages[0]).match(/tool|sent|seen/) ?? ['seen'])[0] as Stage;
  const step = stepOf(body);
  if (step === 0) return calls(USES.search)(request, index);
  if (stage === 'tool') return calls({ name: 'web_search', input: { query: 'never' } })(request, index);
  return stage === 'sent' ? neverAnswers() : sse([OPEN + delta(FORTY), HANG]);
};

/** Brings a process to all stages. @returns ids by stage */
async function reach(bench: LoopBench, process: GatewayProcess): Promise<Record<Stage, string>> {
  const { main, engine } = bench.upstreams;
  bench.begin(model);
  engine.script(({ json: body }) => (body.query === 'never' ? neverAnswers() : FOUND));
  const ids = {} as Record<Stage, string>;
  const begin = async (stage: Stage): Promise<void> => {
    const messages = [{ role: 'user', content: stage }];
    const reply = await process.messages(bench.body({ stream: true, messages }));
    expect(reply.status).toBe(200);
    ids[stage] = reply.headers.get('x-generation-id')!;
    void reply.text().catch(() => undefined);
  };
  await begin('seen');
  await main.request(1);
  // Two beats: what has come is in one of them.
  await sleep(4_500);
  // Killed at once when the others are there: no beat comes between.
  const [searches, sent] = [engine.request(2), main.request(4)];
  await Promise.all([begin('tool'), begin('sent'), searches, sent]);
  const isThere = (): boolean =>
    engine.requests.some(({ json: body }) => body.query === 'never') &&
    main.requests.some(({ json: body }) => JSON.stringify(body.messages[0]).includes('sent') && stepOf(body) === 1);
  while (!isThere()) await sleep(1);
  return ids;
}

const variablesOf = (bench: LoopBench, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  FAIRLEAD_CATALOG: bench.gateway.catalogPath,
  FAIRLEAD_INITIAL_CREDITS: '100',
  FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${bench.upstreams.pages.port}`,
  ...more,
});

describeOnPostgres('a killed replica', (database) => {
  const clock = new AheadClock();
  let bench: LoopBench;
  let replica: GatewayProcess;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { clock, variables: { FAIRLEAD_INITIAL_CREDITS: '100' } });
    replica = await GatewayProcess.start(
      join(database.settings.dataDir, 'process'),
      variablesOf(bench, {
        DATABASE_URL: database.settings.databaseUrl!.reveal(),
        FAIRLEAD_ENCRYPTION_KEYS: ENCRYPTION_KEY,
      }),
    );
  }, 90_000);
  afterAll(async () => {
    await replica?.kill();
    await bench?.close();
  });

  it('leaves a conversation and a container that another one goes on with', async () => {
    const command = { name: 'bash', input: { command: 'echo seven > note; echo $((6 + 1))' } };
    bench.begin(calls(command, USES.search), says('Noted.'));
    const reply = (await (await replica.messages(bench.body())).json()) as JsonBody;
    const [, , { content: result }] = reply.content;
    expect(result).toMatchObject({ stdout: '7\n', container_id: expect.any(String) as string });

    const environment = { type: 'container_reference', container_id: result.container_id };
    bench.begin(calls({ name: 'bash', input: { command: 'cat note' } }), says('Seven.'));
    const tools = [{ type: 'openrouter:bash', parameters: { engine: 'openrouter', environment } }];
    const messages = [
      ...bench.body().messages,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: 'And?' },
    ];
    const again = await bench.ask('/messages', { tools, messages }, API_KEY);
    expect(again.content).toMatchObject([{}, { content: { stdout: 'seven\n' } }, { text: 'Seven.' }]);
    // The model of the other replica reads what the first one's read.
    expect(JSON.stringify(bench.upstreams.main.requests[0]!.json.messages)).toContain('Found.');
  }, 60_000);

  it('is charged by another one for what had ended and what was seen', async () => {
    const ids = await reach(bench, replica);
    await replica.kill();
    const { ledger } = bench;
    await ledger.query(
      `update replicas set heartbeat_at = heartbeat_at - $1 * interval '1 millisecond'
      where id in (select replica from holds where cost is null)`,
      [DEAD_MS],
    );
    clock.aheadMs += DEAD_MS;
    await bench.gateway.gateway.app.get(LedgerJobs).runAll();
    for (const stage of Object.keys(STAGES) as Stage[]) {
      const row = await ledger.generation(ids[stage]);
      expect({ stage, cost: microUsd(row.cost) }).toEqual({ stage, cost: STAGES[stage] });
      expect(row).toMatchObject({ is_recovered: true, outcome: 'recovered' });
      expect([microUsd(row.tools_cost), Number(row.web_searches)]).toEqual([PRICES.search, 1]);
    }
    expect(await ledger.openHolds()).toBe(0);
    expect((await ledger.account()).held).toBe(0);
    const { differences, unlisted } = await verifyLedger(bench.gateway.gateway.app.get(DataSource));
    expect({ differences, unlisted }).toEqual({ differences: [], unlisted: 0 });
  }, 60_000);
});

describeOnEmbedded('a killed gateway', (database) => {
  let dataDir: string;
  let bench: LoopBench;
  let gateway: GatewayProcess | undefined;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-loop-'));
    bench = await LoopBench.start(database);
    await copyPreparedStore(dataDir);
    gateway = await GatewayProcess.start(dataDir, variablesOf(bench, {}));
  }, 60_000);
  afterEach(async () => {
    await gateway?.kill();
    await bench.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = async (path: string): Promise<JsonBody> => {
    const response = await fetch(`${gateway!.origin}/api/v1${path}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    return response.status === 200 ? ((await response.json()) as JsonBody).data : undefined;
  };

  /** @param ids by stage */
  const expectCharged = async (ids: Partial<Record<Stage, string>>): Promise<void> => {
    await gateway!.kill();
    gateway = await GatewayProcess.start(dataDir, variablesOf(bench, {}));
    const deadline = Date.now() + 60_000;
    let total = 0;
    for (const [stage, id] of Object.entries(ids) as [Stage, string][]) {
      let row: JsonBody;
      while (!(row = await ask(`/generation?id=${id}`)) && Date.now() < deadline) await sleep(200);
      expect({ stage, cost: microUsd(row?.total_cost ?? -1) }).toEqual({ stage, cost: STAGES[stage] });
      total += STAGES[stage];
    }
    // What is held would not count, nor be there to spend.
    expect(microUsd((await ask('/key')).usage)).toBe(total);
  };

  it('charges what had ended and what was seen when it is started again', async () => {
    await expectCharged(await reach(bench, gateway!));
  }, 120_000);

  // Not even its hold need be on the disk by then.
  it('charges what had ended of the first loop it ever ran, killed as soon as its second call was there', async () => {
    bench.begin(model);
    bench.upstreams.engine.script(() => FOUND);
    const messages = [{ role: 'user', content: 'sent' }];
    const reply = await gateway!.messages(bench.body({ stream: true, messages }));
    await bench.upstreams.main.request(1);
    const killed = expectCharged({ sent: reply.headers.get('x-generation-id')! });
    void reply.text().catch(() => undefined);
    await killed;
  }, 120_000);
});
