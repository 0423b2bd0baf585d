/**
 * Two gateways as separate processes on one PostgreSQL: of an event that an alarm reports each destination gets one;
 * and a gateway that is killed between the answer of the receiver and its note leaves an event that the other sends at
 * most once more, with the same id. The receiver kills the sender in the middle of its delivery.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { answering, startEventReceiver, type EventReceiver } from '../support/event-receiver.js';
import { GatewayProcess } from '../support/gateway-process.js';
import type { JsonBody } from '../support/recorded-request.js';

const TEST_MS_MAX = 240_000;
/** Several rounds of the sender. */
const QUIET_MS = 8_000;

describeOnPostgres('the outbox of two replicas', (database) => {
  const gateways: GatewayProcess[] = [];
  let receiver: EventReceiver;

  beforeAll(async () => {
    receiver = await startEventReceiver();
    const variables = {
      DATABASE_URL: database.settings.databaseUrl!.reveal(),
      FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32',
      FAIRLEAD_INITIAL_CREDITS: '10',
    };
    for (const name of ['one', 'two'])
      gateways.push(await GatewayProcess.start(`${database.settings.dataDir}/${name}`, variables));
  }, TEST_MS_MAX);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill();
    await receiver?.close();
  }, TEST_MS_MAX);

  async function manage(gateway: GatewayProcess, method: string, path: string, body?: object): Promise<JsonBody> {
    const response = await fetch(`${gateway.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = (await response.json()) as JsonBody;
    if (!response.ok) throw new Error(JSON.stringify(reply));
    return reply.data;
  }

  it(
    'sends each event once, and one whose sender was killed once more with the same id',
    async () => {
      const [one, two] = gateways as [GatewayProcess, GatewayProcess];
      const config = { url: `${receiver.origin}/hook` };
      const { id } = await manage(one, 'POST', '/observability/destinations', { name: 'd', type: 'webhook', config });
      const on = { kind: 'balance', below_usd: 100 };
      const began = Date.now();
      const alarm = await manage(two, 'POST', '/alarms', { name: 'a', on, destination_ids: [id] });
      await receiver.has(1);
      // A new alarm is checked within 30 seconds; the rest is a margin for a busy machine.
      expect(Date.now() - began).toBeLessThan(60_000);
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      expect(receiver.received.map(({ body }) => body.type)).toEqual(['alarm.balance']);

      // The sender dies when the receiver has the event, before it has the answer.
      receiver.answer((response) => {
        receiver.answer(answering(204));
        void one.kill().then(() => {
          response.destroy();
          two.signal('SIGCONT');
        });
      });
      // It must be the first that sends.
      two.signal('SIGSTOP');
      const { event_id } = await manage(one, 'POST', `/alarms/${alarm.id}/test`).catch(() => ({ event_id: undefined }));
      await receiver.has(3);
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      const [, first, again, ...others] = receiver.received.map(({ body }) => body.id);
      expect([again, others]).toEqual([first, []]);
      if (event_id !== undefined) expect(first).toBe(event_id);
      const [event] = await manage(two, 'GET', `/alarms/history?alarm_id=${alarm.id}`);
      expect(event).toMatchObject({ id: first, deliveries: [{ status: 'sent', attempts: 2 }] });
    },
    TEST_MS_MAX,
  );
});
