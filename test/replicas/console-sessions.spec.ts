/**
 * Two gateways as separate processes on one PostgreSQL: a session of the console is one for both; when it is ended at
 * one of them, no later request passes at either; and of two that end it at once, one does.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { sendByConsole, signInByKey } from '../support/console-session.js';
import { describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';

const TEST_MS_MAX = 240_000;
const ROUNDS = 25;

describeOnPostgres('sessions of the console at two replicas', (database) => {
  const gateways: GatewayProcess[] = [];

  beforeAll(async () => {
    const variables = { DATABASE_URL: database.settings.databaseUrl!.reveal() };
    for (const name of ['one', 'two'])
      gateways.push(await GatewayProcess.start(`${database.settings.dataDir}/${name}`, variables));
  }, TEST_MS_MAX);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill();
  }, TEST_MS_MAX);

  const statusAt = async (gateway: GatewayProcess, cookie: string, method = 'GET'): Promise<number> =>
    (await sendByConsole(gateway, { method, path: '/console/session', cookie })).status;

  it(
    'are one for both, until the moment at which either ends them',
    async () => {
      const [one, two] = gateways as [GatewayProcess, GatewayProcess];
      for (let round = 0; round < ROUNDS; round++) {
        const cookie = await signInByKey(one, MANAGEMENT_KEY);
        expect(await statusAt(two, cookie)).toBe(200);
        // Requests that began before it may pass; none that begins behind its answer does.
        const early = Array.from({ length: 6 }, (_, at) => statusAt(gateways[at % 2]!, cookie));
        expect(await statusAt(round % 2 === 0 ? one : two, cookie, 'DELETE')).toBe(200);
        expect(await Promise.all([statusAt(one, cookie), statusAt(two, cookie)])).toEqual([401, 401]);
        for (const status of await Promise.all(early)) expect([200, 401, 404]).toContain(status);
      }
    },
    TEST_MS_MAX,
  );

  it(
    'are ended by one of those who try it at once',
    async () => {
      const [one, two] = gateways as [GatewayProcess, GatewayProcess];
      for (let round = 0; round < ROUNDS; round++) {
        const cookie = await signInByKey(two, MANAGEMENT_KEY);
        const statuses = await Promise.all([one, two, one, two].map((gateway) => statusAt(gateway, cookie, 'DELETE')));
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
        // The others find it ended: as a caller, or as what they name.
        expect(statuses.filter((status) => status === 401 || status === 404)).toHaveLength(3);
      }
    },
    TEST_MS_MAX,
  );
});
