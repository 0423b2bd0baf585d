/**
 * Checks the pages of alarms and destinations in a real Chromium over the real application: a webhook is made, its
 * secret shown once, and tested; an alarm reports to it what a key has used; both are changed and deleted.
 */
import { AlarmJob } from '../../src/alarms/alarm-job.js';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { OutboxJob } from '../../src/destinations/outbox-job.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectShown, expectStatus, settled, signIn, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { signatureOf, startEventReceiver, type EventReceiver } from '../support/event-receiver.js';

const LONG = 'n'.repeat(255);
const clock = new AheadClock();
/** The ids of alarms and destinations with odd names. */
const alarms: string[] = [];
const destinations: string[] = [];
let boundKey: string;
let receiver: EventReceiver;

describeConsole(
  'the pages of alarms',
  {
    clock,
    variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32', FAIRLEAD_INITIAL_CREDITS: '10' },
    fill: async (gateway) => {
      receiver = await startEventReceiver();
      for (const name of [SCRIPT, RIGHT_TO_LEFT, LONG]) {
        const config = { url: `${receiver.origin}/${'p'.repeat(1_000)}`, headers: { 'x-team': 'secret-of-a-header' } };
        const { data } = await gateway.manage('POST', '/observability/destinations', { name, type: 'webhook', config });
        destinations.push(data.id);
        const terms = { name, on: { kind: 'limit', key: '*' }, percents: [50], destination_ids: [data.id] };
        alarms.push((await gateway.manage('POST', '/alarms', terms)).data.id);
        await gateway.manage('POST', `/alarms/${alarms.at(-1)}/test`);
      }
      const bound = { name: 'head', kind: 'management', workspace_id: 'default' };
      boundKey = (await gateway.manage('POST', '/keys', bound)).key;
    },
  },
  (suite) => {
    afterAll(() => receiver?.close());
    const review = async ({ page }: Parameters<typeof settled>[0]): Promise<void> => {
      await page.getByLabel('Name', { exact: true }).fill(RIGHT_TO_LEFT.repeat(10));
      await page.getByRole('button', { name: 'Review the change' }).click();
      await page.getByRole('dialog').waitFor();
    };
    itFits(suite, 'the list', () => '/console/alarms', 'Alarms');
    itFits(suite, 'what alarms have reported', () => '/console/alarms/history', 'What alarms have reported');
    itFits(suite, 'the choice of a new alarm', () => '/console/alarms/new', 'New alarm');
    itFits(suite, 'the form of a new alarm', () => '/console/alarms/new/budget', 'New alarm');
    itFits(suite, 'an alarm of an odd name', () => `/console/alarms/${alarms[0]}`, /^Alarm <script>/, review);
    itFits(suite, 'the list of destinations', () => '/console/destinations', 'Destinations');
    itFits(suite, 'the form of a new destination', () => '/console/destinations/new/webhook', 'New destination');
    itFits(suite, 'a destination', () => `/console/destinations/${destinations[2]}`, /^Destination nnn/, review);

    it.each(SIZES)(
      'makes a destination and an alarm, which reports what a key has used, at $width pixels',
      async (viewport) => {
        const name = `On call ${viewport.width}`;
        const watched = await suite.signedIn('/console/destinations', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New destination' }).click();
        await page.getByRole('link', { name: 'Webhook' }).click();
        await page.getByLabel('Name', { exact: true }).fill(name);
        await page.getByLabel('Address').fill('http://10.0.0.1/');
        await page.getByRole('button', { name: 'Make the destination' }).click();
        await page.getByText(/^config.url: /).waitFor();
        await page.getByLabel('Address').fill(`${receiver.origin}/${viewport.width}`);
        await page.getByRole('button', { name: 'Make the destination' }).click();
        const secret = await page.getByLabel('The secret').innerText();
        await page.getByLabel('I have kept it').check();
        await page.getByRole('button', { name: 'Done' }).click();
        await heading(watched, `Destination ${name}`);
        const destination = page.url().split('/').pop()!;
        expect(await page.content()).not.toContain(secret);
        await page.getByRole('button', { name: 'Send a test event' }).click();
        await page.getByText('The destination accepted the event.').waitFor();
        const event = receiver.received.find(({ path }) => path === `/${viewport.width}`)!;
        expect(event.headers['x-fairlead-signature']).toBe(signatureOf(secret, event));

        await page.goto(`${suite.gateway.origin}/console/alarms`);
        await page.getByRole('link', { name: 'New alarm' }).click();
        await page.getByRole('link', { name: 'The limit of a key' }).click();
        await page.getByLabel('Name', { exact: true }).fill(name);
        await page.getByLabel('Report at').fill('1, x');
        await page.getByLabel(`Report to ${name}`).check();
        await page.getByRole('button', { name: 'Make the alarm' }).click();
        await page.getByText(/^percents.1: /).waitFor();
        await page.getByLabel('Report at').fill('1, 50');
        await page.getByRole('button', { name: 'Make the alarm' }).click();
        await heading(watched, `Alarm ${name}`);
        await page.getByRole('button', { name: 'Send a test' }).click();
        await page.getByText('On its way to a destination').waitFor();
        const { key } = await suite.gateway.newKey({ name: `Used at ${viewport.width}`, limit: 0.000_5 });
        await (await suite.gateway.messages(echo, { key })).text();
        // A round of the jobs, after all that was charged is counted.
        await new LedgerReader(suite.gateway).rest();
        clock.aheadMs += MINUTE_MS;
        for (const job of [AlarmJob, OutboxJob]) await suite.gateway.gateway.app.get(job, { strict: false }).runOnce();
        await page.getByRole('row', { name: new RegExp(`Used at ${viewport.width} has used 1 %.*sent`) }).waitFor();
        expect(receiver.received.some(({ text }) => text.includes(`Used at ${viewport.width} has used`))).toBe(true);

        await page.getByLabel('In use').uncheck();
        await page.getByLabel('Report at').fill('90');
        await page.getByRole('button', { name: 'Review the change' }).click();
        const dialog = page.getByRole('dialog');
        await expectShown(() => dialog.locator('tbody tr').allInnerTexts()).toEqual([
          'In use\tyes\tno',
          'Report at\t1, 50\t90',
        ]);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        const id = page.url().split('/').pop()!;
        expect((await suite.gateway.manage('GET', `/alarms/${id}`)).data).toMatchObject({
          enabled: false,
          percents: [90],
          on: { kind: 'limit', key: '*' },
        });
        await page.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByRole('button', { name: 'Delete the alarm' }).click();
        await heading(watched, 'Alarms');
        await suite.gateway.manage('DELETE', `/observability/destinations/${destination}`);
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'changes a destination without its masked secrets, rotates its secret, and deletes it',
      async () => {
        const config = { url: `${receiver.origin}/masked`, headers: { 'x-team': 'secret-of-a-header' } };
        const terms = { name: 'Masked', type: 'webhook', config };
        const { id } = (await suite.gateway.manage('POST', '/observability/destinations', terms)).data;
        const watched = await suite.signedIn(`/console/destinations/${id}`);
        const { page } = watched;
        const dialog = page.getByRole('dialog');
        await page.getByLabel('Method').selectOption('PUT');
        await page.getByRole('button', { name: 'Review the change' }).click();
        await expectShown(() => dialog.locator('tbody tr').allInnerTexts()).toEqual(['Method\tPOST\tPUT']);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await page.getByRole('button', { name: 'Send a test event' }).click();
        await page.getByText('The destination accepted the event.').waitFor();
        const event = receiver.received.find(({ path }) => path === '/masked')!;
        expect([event.method, event.headers['x-team']]).toEqual(['PUT', 'secret-of-a-header']);
        await page.getByRole('button', { name: 'Rotate' }).click();
        await dialog.getByRole('button', { name: 'Rotate' }).click();
        const secret = await page.getByLabel('The secret').innerText();
        await page.getByLabel('I have kept it').check();
        await page.getByRole('button', { name: 'Done' }).click();
        await expectShown(() => page.locator('section[aria-labelledby="secret"] code').innerText()).toBe(
          `••••${secret.slice(-4)}`,
        );
        await page.getByRole('button', { name: 'Delete' }).click();
        await expectShown(() => dialog.innerText()).toContain('the events that wait for it are lost');
        await dialog.getByRole('button', { name: 'Delete the destination' }).click();
        await heading(watched, 'Destinations');
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows names as texts, and to a bound key nothing of the account',
      async () => {
        const all = await suite.signedIn('/console/alarms');
        await settled(all);
        for (const name of [SCRIPT, LONG]) await expectShown(() => all.page.getByText(name, { exact: true }).count()).toBeGreaterThan(0);
        await expectShown(() => all.page.locator('script:not([src]), img').count()).toBe(0);
        suite.soundly(all);
        const bound = await suite.open('/console/alarms');
        await signIn(bound, boundKey);
        for (const path of ['alarms', 'alarms/history', 'destinations', `alarms/${alarms[0]}`]) {
          await bound.page.goto(`${suite.gateway.origin}/console/${path}`);
          await bound.page.getByRole('alert').getByText('bound to a workspace').first().waitFor();
          expect(await bound.page.content()).not.toContain(LONG);
        }
        for (const status of [401, 403]) expectStatus(bound, status);
        suite.soundly(bound);
      },
      STEP_MS_MAX,
    ); // oxfmt-ignore

    it(
      'is used by the keyboard alone, and leads back where the session is over',
      async () => {
        const watched = await suite.open('/console/alarms/new');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/^The credits of the account$/);
        await reader.reach(/^Name$/);
        await reader.type('By keyboard');
        await reader.reach(/^Report fewer credits than \(USD\)$/);
        await reader.type('5');
        await reader.activate(/^Make the alarm$/);
        await heading(watched, 'Alarm By keyboard');
        await settled(watched);
        await reader.activate(/^Report a test$/);
        await page.getByText('The alarm has no destination.').waitFor();
        clock.aheadMs += HOUR_MS;
        await reader.activate(/^Delete$/);
        await page.getByRole('dialog').waitFor();
        await reader.activate(/^Delete the alarm$/);
        await heading(watched, 'Sign in to Fairlead');
        await reader.signIn();
        await heading(watched, 'Alarm By keyboard');
        await reader.activate(/^Delete$/);
        await page.getByRole('dialog').waitFor();
        await reader.activate(/^Delete the alarm$/);
        await heading(watched, 'Alarms');
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);

const echo = { model: 'sandbox/echo', max_tokens: 40, messages: [{ role: 'user', content: 'Say hello.' }] };
