/**
 * Sequential calls near a limit all pass, at whichever replica each of them arrives, and a burst over all replicas is
 * refused only because of calls under way (docs/contribute/ledger.md). Three gateways on one database and a key whose
 * limit allows one call at a time; in the burst no call ends before all others were refused.
 */
import { ask, after, gate } from '../http/messages-bench.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const REPLICAS = 3;
const CALLS = 60;
/** USD; of `ask`, whose `max_tokens` is 100: 67 tokens in at most. 3 USD a million tokens in and 15 out. */
const BOUND = (67 * 3 + 100 * 15) / 1e6;
const COST = 0.000141;
/** Amounts have twelve decimals at most. */
const usd = (amount: number): number => Number(amount.toFixed(12));

describeOnPostgres('a refusal of several replicas', (database) => {
  let upstream: Upstream;
  const replicas: TestGateway[] = [];

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    const options = { catalog: catalogOf({ id: 'test/paid', at }), variables: { LOG_LEVEL: 'warn' } };
    for (let replica = 0; replica < REPLICAS; replica++) replicas.push(await startGateway(database, options));
  }, 240_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await upstream?.close();
  }, 240_000);

  const newKey = async (limit: number): Promise<string> => (await replicas[0]!.newKey({ limit: usd(limit) })).key;

  async function call(replica: number, key: string, stream: boolean): Promise<number> {
    const response = await replicas[replica % REPLICAS]!.messages(ask('test/paid', { stream }), { key });
    await response.text();
    return response.status;
  }

  it('does not occur for sequential calls while the limit allows one', async () => {
    upstream.script(anthropicText('Hi.'));
    const key = await newKey(BOUND + (CALLS - 1) * COST);
    const statuses: number[] = [];
    for (let index = 0; index < CALLS; index++) statuses.push(await call(index, key, index % 2 === 0));
    expect(statuses).toEqual(statuses.map(() => 200));
    for (let replica = 0; replica < REPLICAS; replica++) expect(await call(replica, key, false)).toBe(402);
  }, 240_000);

  it('is due to calls under way only: when they have ended, as many pass again', async () => {
    const key = await newKey(2 * BOUND + 4 * COST);
    for (let round = 0; round < 2; round++) {
      const answered = gate();
      upstream.script(after(answered.opened, anthropicText('Hi.')));
      let refused = 0;
      const calls = Array.from({ length: 12 }, async (_, index) => {
        const status = await call(index, key, false);
        if (status === 402 && ++refused === 10) answered.open();
        return status;
      });
      const statuses = await Promise.all(calls);
      expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    }
  }, 240_000);
});
