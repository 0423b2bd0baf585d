/**
 * A tool loop whose process is killed is charged exactly for completed calls and uses, and for the open call by the
 * last beat. Nothing stays held, and another replica continues with the conversation and its container. Separate
 * processes have three loops at three stages when they are killed; on PostgreSQL another replica settles, on the
 * embedded database the next process. An engine that has just been reached is the operator's cost, by its name. Rules:
 * docs/contribute/ledger.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, ENCRYPTION_KEY } from '../support/app.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { copyPreparedStore } from '../support/prepared-store.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, neverAnswers, sse, type Script } from '../support/upstream-answers.js';
import { delta, OPEN } from '../http/messages-bench.js';
import { CALL, calls, FOUND, LoopBench, microUsd, PRICES, answers, TOOLS, USES } from './faults-bench.js';

/** Beyond fifteen seconds without a beat. */
const DEAD_MS = 16_000;
const FORTY = 'forty characters are ten tokens or so...';
/** Millionths of a USD: three prompt tokens that were reported, and ten completion tokens that were seen. */
const SEEN = 3 * 3 + 10 * 15;
const ENDED = CALL + PRICES.search;

/** The charge of each loop, by the question of its caller. */
const STAGES = {
  // Two calls and a search have ended; the second search is open.
  tool: ENDED + CALL,
  // Nothing of the second call has arrived, and no beat has seen it.
  sent: ENDED,
  seen: ENDED + SEEN,
};
type Stage = keyof typeof STAGES;

/** The number of model calls before this one. */
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
  // Two beats: what has arrived is in one of them.
  await sleep(4_500);
  // Killed as soon as the others are there: no beat comes between.
  const [searches, sent] = [engine.request(2), main.request(4)];
  await Promise.all([begin('tool'), begin('sent'), searches, sent]);
  const isThere = (): boolean =>
    engine.requests.some(({ json: body }) => body.query === 'never') &&
    main.requests.some(({ json: body }) => JSON.stringify(body.messages[0]).includes('sent') && stepOf(body) === 1);
  while (!isThere()) await sleep(1);
  return ids;
}

/** Long before the next heartbeat. */
const JUST_REACHED_MS = 50;
const EXA = 'fairlead_operator_cost_usd_total{provider="engine:exa"}';
const WEB = { id: 'web', engine: 'exa', max_results: 2 };
/** Who buys, what the model answers before that, and what the caller pays for it. */
const BUYERS = [
  { buyer: 'a tool', fields: { tools: [TOOLS.search] }, cost: CALL },
  { buyer: 'a plugin', fields: { tools: undefined, plugins: [WEB] }, cost: 0 },
];

/** Kills a process as soon as the engine has been reached, which does not answer. */
async function killAtEngine(bench: LoopBench, process: GatewayProcess, fields: object): Promise<void> {
  const { engine } = bench.upstreams;
  bench.begin(calls(USES.search), answers('Never.'));
  engine.script(neverAnswers());
  const reached = engine.request(0);
  const asked = process.messages(bench.body({ stream: true, ...fields })).then(
    (reply) => reply.text(),
    () => undefined,
  );
  void asked.catch(() => undefined);
  await reached;
  await sleep(JUST_REACHED_MS);
  await process.kill();
  await asked.catch(() => undefined);
}

const lostTo = (metrics: string, series: string): number => {
  const line = metrics.split('\n').find((one) => one.startsWith(`${series} `));
  return microUsd(line?.slice(series.length + 1) ?? 0);
};

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
  const replicas: GatewayProcess[] = [];
  beforeAll(async () => {
    bench = await LoopBench.start(database, { clock, variables: { FAIRLEAD_INITIAL_CREDITS: '100' } });
    replica = await startReplica();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((one) => one.kill()));
    await bench?.close();
  });

  async function startReplica(): Promise<GatewayProcess> {
    const started = await GatewayProcess.start(
      join(database.settings.dataDir, `process-${replicas.length}`),
      variablesOf(bench, {
        DATABASE_URL: database.settings.databaseUrl!.reveal(),
        FAIRLEAD_ENCRYPTION_KEYS: ENCRYPTION_KEY,
      }),
    );
    replicas.push(started);
    return started;
  }

  /** The living one settles what killed ones have left. */
  async function bury(): Promise<void> {
    await bench.ledger.query(
      `update replicas set heartbeat_at = heartbeat_at - $1 * interval '1 millisecond'
      where id in (select replica from holds where cost is null)`,
      [DEAD_MS],
    );
    clock.aheadMs += DEAD_MS;
    await bench.gateway.gateway.app.get(LedgerJobs).runAll();
  }

  it('leaves a conversation and a container with which another one continues', async () => {
    const command = { name: 'bash', input: { command: 'echo seven > note; echo $((6 + 1))' } };
    bench.begin(calls(command, USES.search), answers('Noted.'));
    const reply = (await (await replica.messages(bench.body())).json()) as JsonBody;
    const [, , { content: result }] = reply.content;
    expect(result).toMatchObject({ stdout: '7\n', container_id: expect.any(String) as string });

    const environment = { type: 'container_reference', container_id: result.container_id };
    bench.begin(calls({ name: 'bash', input: { command: 'cat note' } }), answers('Seven.'));
    const tools = [{ type: 'openrouter:bash', parameters: { engine: 'openrouter', environment } }];
    const messages = [
      ...bench.body().messages,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: 'And?' },
    ];
    const again = await bench.ask('/messages', { tools, messages }, API_KEY);
    expect(again.content).toMatchObject([{}, { content: { stdout: 'seven\n' } }, { text: 'Seven.' }]);
    // The model of the other replica reads the same as the first one.
    expect(JSON.stringify(bench.upstreams.main.requests[0]!.json.messages)).toContain('Found.');
  });

  it('is charged by another one for what had ended and what was seen', async () => {
    const ids = await reach(bench, replica);
    await replica.kill();
    const { ledger } = bench;
    await bury();
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
  });

  it.each(BUYERS)(
    'leaves the cost of an engine that $buyer has just reached, by its name',
    async ({ fields, cost }) => {
      const { ledger, gateway } = bench;
      const other = await startReplica();
      await killAtEngine(bench, other, fields);
      const before = lostTo(await gateway.metrics(), EXA);
      await bury();
      const row = await ledger.latest();
      expect([microUsd(row.cost), microUsd(row.operator_cost)]).toEqual([cost, PRICES.search]);
      expect(row).toMatchObject({ is_recovered: true });
      expect(lostTo(await gateway.metrics(), EXA) - before).toBe(PRICES.search);
      expect(await ledger.openHolds()).toBe(0);
    },
  );
});

describeOnEmbedded('a killed gateway', (database) => {
  let dataDir: string;
  let bench: LoopBench;
  let gateway: GatewayProcess | undefined;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
  });
  afterAll(() => bench?.close());
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-loop-'));
    await copyPreparedStore(dataDir);
    gateway = await GatewayProcess.start(dataDir, variablesOf(bench, {}));
  });
  afterEach(async () => {
    await gateway?.kill();
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
    // Held money would neither be counted nor be available.
    expect(microUsd((await ask('/key')).usage)).toBe(total);
  };

  it('charges what had ended and what was seen when it is started again', async () => {
    await expectCharged(await reach(bench, gateway!));
  });

  it.each(BUYERS)('leaves the cost of an engine that $buyer has just reached, by its name', async ({ fields }) => {
    await killAtEngine(bench, gateway!, fields);
    gateway = await GatewayProcess.start(dataDir, variablesOf(bench, {}));
    const lost = async (): Promise<number> => lostTo(await (await fetch(`${gateway!.origin}/metrics`)).text(), EXA);
    const deadline = Date.now() + 60_000;
    while ((await lost()) === 0 && Date.now() < deadline) await sleep(200);
    expect(await lost()).toBe(PRICES.search);
  });

  // Even the hold may not have reached the disk by then.
  it('charges what had ended of its very first loop, killed at the start of its second call', async () => {
    bench.begin(model);
    bench.upstreams.engine.script(() => FOUND);
    const messages = [{ role: 'user', content: 'sent' }];
    const reply = await gateway!.messages(bench.body({ stream: true, messages }));
    await bench.upstreams.main.request(1);
    const killed = expectCharged({ sent: reply.headers.get('x-generation-id')! });
    void reply.text().catch(() => undefined);
    await killed;
  });
});
