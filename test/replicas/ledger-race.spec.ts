/**
 * Replicas on one database together grant exactly as many calls as a cap allows, at no moment one more, and agree on
 * what was spent (docs/contribute/ledger.md#counters). Three gateways, each with its own pool and name, and a burst of
 * 300 calls with one key whose limit suffices for exactly N of them. A call costs its whole bound, so that no amount is
 * released; the counters are watched by SQL meanwhile. The model costs 3 USD a million tokens in and 15 out. The counts
 * are printed at the end.
 */
import type { DataSource } from 'typeorm';
import { formatUsd, parseUsd, PICO_PER_USD, usdNumber, type PicoUsd } from '../../src/core/money/credits.js';
import { ask } from '../http/messages-bench.js';
import { anthropicReply } from '../support/anthropic-upstream.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { turningTime } from '../support/cpu-time.js';
import type { JsonBody } from '../support/recorded-request.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const REPLICAS = 3;
const BURST = 300;
/** `Hello`: three tokens at most, and 64 around them. */
const PROMPT_TOKENS = 67;
const MICRO = PICO_PER_USD / 1_000_000n;
const boundOf = (maxTokens: number): PicoUsd => BigInt(PROMPT_TOKENS * 3 + maxTokens * 15) * MICRO;
/** How soon after the last reply every replica must report it. */
const AGREED_MS_MAX = 1_000;
/** Tries of one call that gets a retryable refusal: on a busy machine a lock may time out. */
const TRIES_MAX = 20;
const ROUND_MS_MAX = 120_000;
/** Faults that are listed. */
const LISTED_MAX = 3;

/** One round as a line of the printed table. */
interface Round {
  readonly room: number;
  readonly granted: number | undefined;
  readonly refused: number | undefined;
  /** Retryable refusals. */
  readonly retried: number;
  readonly looks: number;
  readonly overspent: number;
  readonly agreedMs: number;
}

const wholeBound: Script = (request, index) => {
  const usage = { input_tokens: PROMPT_TOKENS, output_tokens: request.json.max_tokens };
  return anthropicReply([{ type: 'text', text: 'Hi.' }], { usage })(request, index);
};

describeOnPostgres('a burst at three replicas', (database) => {
  let upstream: Upstream;
  let store: DataSource;
  const replicas: TestGateway[] = [];
  const rounds: Round[] = [];

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    upstream.script(wholeBound);
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    const options = {
      catalog: catalogOf({ id: 'test/paid', at }),
      variables: { FAIRLEAD_INITIAL_CREDITS: '100', LOG_LEVEL: 'warn' },
    };
    for (let replica = 0; replica < REPLICAS; replica++) replicas.push(await startGateway(database, options));
    store = await database.connect();
  }, 240_000);
  afterAll(async () => {
    process.stdout.write(printRounds(rounds));
    await store?.destroy();
    await Promise.all(replicas.map((replica) => replica.close()));
    await upstream?.close();
  }, 240_000);

  async function manage(path: string, body: string): Promise<JsonBody> {
    const headers = { 'content-type': 'application/json' };
    const response = await replicas[0]!.request(path, { method: 'POST', key: MANAGEMENT_KEY, headers, body });
    expect(response.status).toBe(201);
    return response.json();
  }

  const newKey = async (limit: PicoUsd | null): Promise<{ readonly key: string; readonly hash: string }> => {
    const fields = `{"name":"a key","limit":${limit === null ? 'null' : formatUsd(limit)}}`;
    const { key, data } = await manage('/keys', fields);
    return { key, hash: data.hash };
  };

  /** The account's counter. */
  async function account(): Promise<{ readonly limit: PicoUsd; readonly used: PicoUsd; readonly held: PicoUsd }> {
    const [row] = await store.query(`select "limit", used, held from spending_windows where scope = 'account'`);
    return { limit: parseUsd(row.limit)!, used: parseUsd(row.used)!, held: parseUsd(row.held)! };
  }

  interface Burst {
    /** How often each status came. */
    readonly statuses: Readonly<Record<number, number>>;
    readonly retried: number;
  }

  /** Calls the replicas in turn. */
  async function burst(key: string, maxTokens: number): Promise<Burst> {
    const statuses: Record<number, number> = {};
    let retried = 0;
    await Promise.all(
      Array.from({ length: BURST }, async (_, index) => {
        const body = ask('test/paid', { max_tokens: maxTokens, stream: index % 2 === 0 });
        for (let tries = 1; ; tries++) {
          const response = await replicas[index % REPLICAS]!.messages(body, { key });
          await response.text();
          if (response.status !== 503 || tries === TRIES_MAX) {
            statuses[response.status] = (statuses[response.status] ?? 0) + 1;
            return;
          }
          retried++;
        }
      }),
    );
    return { statuses, retried };
  }

  /** Reads without a pause while `act` runs. @returns how often, and what it found above a cap */
  async function watched<T>(act: () => Promise<T>): Promise<{ result: T; looks: number; overspent: JsonBody[] }> {
    let isOver = false;
    let looks = 0;
    const overspent: JsonBody[] = [];
    const watching = (async () => {
      for (; !isOver; looks++) {
        overspent.push(
          ...(await store.query(
            `select w.* from spending_windows w left join api_keys k on w.scope = 'key' and k.hash = w.scope_id
             where w.interval = 'lifetime' and (w.used + w.held > coalesce(k.limit_usd, w."limit") or w.held < 0)`,
          )),
        );
      }
    })();
    const result = await act().finally(() => (isOver = true));
    await watching;
    return { result, looks, overspent };
  }

  /** How long until every replica reports this usage and nothing held. */
  async function msUntilAgreed(key: string, used: PicoUsd): Promise<number> {
    const began = performance.now();
    const waited = turningTime();
    const expected = JSON.stringify([usdNumber(used), 0]);
    for (;;) {
      const reports = await Promise.all(
        replicas.map(async (replica) => {
          const { data } = (await (await replica.request('/key', { key })).json()) as JsonBody;
          return JSON.stringify([data.usage, data.limit_held]);
        }),
      );
      if (reports.every((report) => report === expected)) return waited();
      if (performance.now() - began > ROUND_MS_MAX / 2)
        throw new Error(`The replicas report ${reports.join(', ')} instead of ${expected}.`);
    }
  }

  async function race(key: string, room: number, maxTokens: number): Promise<void> {
    const before = { ...(await account()), calls: upstream.requests.length };
    const { result, looks, overspent } = await watched(() => burst(key, maxTokens));
    const { statuses, retried } = result;
    expect(overspent.slice(0, LISTED_MAX)).toEqual([]);
    expect(statuses).toEqual({ 200: room, 402: BURST - room });
    expect(upstream.requests.length - before.calls).toBe(room);
    expect(looks).toBeGreaterThan(1);
    const used = boundOf(maxTokens) * BigInt(room);
    const agreedMs = await msUntilAgreed(key, used);
    const [granted, refused] = [statuses[200], statuses[402]];
    rounds.push({
      room,
      granted,
      refused,
      retried,
      looks,
      overspent: overspent.length,
      agreedMs: Math.round(agreedMs),
    });
    expect(agreedMs).toBeLessThan(AGREED_MS_MAX);
    expect(await account()).toMatchObject({ used: before.used + used, held: 0n });
    const [{ count }] = await store.query('select count(*)::int as count from holds');
    expect(count).toBe(0);
  }

  it.each([
    [1, 100],
    [7, 1_000],
    [64, 10],
    [150, 37],
    [299, 1],
  ])(
    'of which a key’s cap allows %d, of %d tokens each',
    async (room, maxTokens) => {
      const { key } = await newKey(boundOf(maxTokens) * BigInt(room));
      await race(key, room, maxTokens);
    },
    ROUND_MS_MAX,
  );

  it(
    'of which the account’s balance allows 33',
    async () => {
      const maxTokens = 250;
      const room = 33;
      const { limit, used } = await account();
      const amount = used + boundOf(maxTokens) * BigInt(room) - limit;
      await manage('/credits', `{"kind":"adjustment","amount":${formatUsd(amount)}}`);
      await race((await newKey(null)).key, room, maxTokens);
      const spent = await account();
      expect(spent.used).toBe(spent.limit);
    },
    ROUND_MS_MAX,
  );
});

function printRounds(rounds: readonly Round[]): string {
  const titles = ['room', 'granted', 'refused', 'retried', 'looks', 'overspent', 'agreedMs'] as const;
  const lines = rounds.map((round) => titles.map((title) => round[title] ?? 0));
  return [titles, titles.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
