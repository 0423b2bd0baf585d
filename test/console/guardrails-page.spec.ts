/**
 * Checks the page of guardrails in a real Chromium over the real application: a guardrail is made, a text is tried on
 * it, a key gets it, and its requests meet what the trial showed; it is changed and deleted.
 */
import { HOUR_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectShown, expectStatus, settled, signIn, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import {
  describeConsole,
  heading,
  itFits,
  KeyboardReader,
  RIGHT_TO_LEFT,
  SCRIPT,
  TEN_THOUSAND,
} from '../support/console-suite.js';

const LONG = 'n'.repeat(200);
const clock = new AheadClock();
/** The ids of guardrails with odd names. */
const named: string[] = [];
let boundKey: string;

const ask = (content: string): object => ({
  model: 'sandbox/echo',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
});

describeConsole(
  'the page of guardrails',
  {
    clock,
    fill: async (gateway) => {
      await gateway.manage('POST', '/workspaces', { name: 'Team', slug: 'team' });
      for (const name of [SCRIPT, RIGHT_TO_LEFT, LONG]) {
        const { data } = await gateway.manage('POST', '/guardrails', {
          name,
          workspace_id: name === RIGHT_TO_LEFT ? 'team' : 'default',
          limit_usd: 1.5,
          content_filters: [
            { pattern: name.slice(0, 5), action: 'redact', label: name.slice(0, 100) },
            { pattern: TEN_THOUSAND, action: 'block' },
          ],
        });
        named.push(data.id);
        const member_user_ids = [name.slice(0, 255)];
        await gateway.manage('POST', `/guardrails/${data.id}/assignments/members`, { member_user_ids });
      }
      const bound = { name: 'head', kind: 'management', workspace_id: 'team' };
      boundKey = (await gateway.manage('POST', '/keys', bound)).key;
    },
  },
  (suite) => {
    itFits(suite, 'the list', () => '/console/guardrails', 'Guardrails');
    itFits(suite, 'the form of a new one', () => '/console/guardrails/new', 'New guardrail');
    itFits(
      suite,
      'a text that was tried on one of an odd name',
      () => `/console/guardrails/${named[0]}`,
      /^Guardrail <script>/,
      async ({ page }) => {
        await page.getByLabel('Text of a user').fill(`${SCRIPT} ${TEN_THOUSAND.slice(0, 3_000)}`);
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByText('Passes without what is cut').waitFor();
      },
    );
    itFits(
      suite,
      'a change that is to be saved',
      () => `/console/guardrails/${named[2]}`,
      /^Guardrail nnn/,
      async ({ page }) => {
        await page.getByLabel('Name', { exact: true }).fill(RIGHT_TO_LEFT.repeat(5));
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.getByRole('dialog').waitFor();
      },
    );

    it.each(SIZES)(
      'makes a guardrail, and requests of its key meet what a tried text met, at $width pixels',
      async (viewport) => {
        const { key, hash } = await suite.gateway.newKey({ name: `Guarded at ${viewport.width}` });
        await (await suite.gateway.messages(ask('hello'), { key })).text();
        const watched = await suite.signedIn('/console/guardrails', { viewport });
        const { page } = watched;
        await page.getByRole('link', { name: 'New guardrail' }).click();
        await heading(watched, 'New guardrail');
        await page.getByLabel('Name', { exact: true }).fill('Nothing private');
        await page.getByLabel('Mail addresses').selectOption({ label: 'cut it' });
        await page.getByLabel('Providers that collect data').selectOption({ label: 'refused' });
        await page.getByRole('button', { name: 'Make the guardrail' }).click();
        await heading(watched, 'Guardrail Nothing private');
        const id = page.url().split('/').pop()!;
        expect((await suite.gateway.manage('GET', `/guardrails/${id}`)).data).toMatchObject({
          content_filter_builtins: [{ slug: 'email', action: 'redact' }],
          enable_paid_model_training: false,
          enable_free_model_training: false,
          enable_free_model_publication: false,
          enforce_zdr: null,
        });

        const text = 'Write to ada@example.com about project-1234.';
        await page.getByLabel('Text of a user').fill(text);
        await page.getByRole('button', { name: 'Try it' }).click();
        const read = page.getByLabel('What a model reads');
        await expectShown(() => read.innerText()).toBe('Write to [REDACTED:email] about project-1234.');
        // A pattern that is not saved yet.
        await page.getByLabel('A pattern in place of its own ones').fill('project-[0-9]{4}');
        await page.getByLabel('What the pattern does').selectOption({ label: 'block the request' });
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByText('Is blocked: A guardrail blocked this request').waitFor();
        await page.getByLabel('A pattern in place of its own ones').fill('(');
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByRole('alert').getByText('invalid_regex_pattern').waitFor();

        await page.getByText('Add a pattern').click();
        await page.getByLabel('Pattern', { exact: true }).fill('project-[0-9]{4}');
        await page.getByLabel('Label').fill('project');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('row', { name: /project-\[0-9\]\{4\}/ }).waitFor();
        await page.getByText('Assign it').click();
        await page.getByLabel('Key', { exact: true }).selectOption({ value: hash });
        await page.getByRole('button', { name: 'Assign', exact: true }).click();
        await page.getByRole('row', { name: new RegExp(`Guarded at ${viewport.width}`) }).waitFor();
        await page.getByLabel('A pattern in place of its own ones').fill('');
        await page.getByRole('button', { name: 'Try it' }).click();
        await read.waitFor();
        const reply = await suite.gateway.messages(ask(text), { key });
        const { content } = (await reply.json()) as { content: [{ text: string }] };
        await expectShown(() => read.innerText()).toBe(content[0].text);
        expect(content[0].text).toBe('Write to [REDACTED:email] about [REDACTED:project].');

        await page.getByLabel('Card numbers').selectOption({ label: 'block the request' });
        await page.getByRole('button', { name: 'Review the change' }).click();
        const dialog = page.getByRole('dialog');
        await expectShown(() => dialog.locator('tbody tr').allInnerTexts()).toEqual([
          'Card numbers\tnot searched\tblock the request',
        ]);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        expect((await suite.gateway.manage('GET', `/guardrails/${id}`)).data.content_filter_builtins).toMatchObject([
          { slug: 'email', action: 'redact' },
          { slug: 'credit-card', action: 'block' },
        ]);
        await page.getByRole('button', { name: 'Remove project' }).click();
        await dialog.getByRole('button', { name: 'Remove the pattern' }).click();
        await page.getByText('It has none.', { exact: true }).waitFor();
        await page.getByRole('button', { name: `Take away from Guarded at ${viewport.width}` }).click();
        await dialog.getByRole('button', { name: 'Take it away' }).click();
        await page.getByText('No key and no member.').waitFor();
        await page.getByRole('button', { name: 'Delete' }).click();
        await expectShown(() => dialog.innerText()).toContain('Its filters and assignments are lost.');
        await dialog.getByRole('button', { name: 'Delete the guardrail' }).click();
        await heading(watched, 'Guardrails');
        expectStatus(watched, 400);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'keeps a pattern that another person has added meanwhile',
      async () => {
        const { data } = await suite.gateway.manage('POST', '/guardrails', { name: 'Of two people' });
        const watched = await suite.signedIn(`/console/guardrails/${data.id}`);
        const { page } = watched;
        await page.getByText('Add a pattern').click();
        await page.getByLabel('Pattern', { exact: true }).fill('mine');
        const theirs = [{ pattern: 'theirs', action: 'block', label: null }];
        await suite.gateway.manage('PATCH', `/guardrails/${data.id}`, { content_filters: theirs });
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('row', { name: /mine/ }).waitFor();
        expect((await suite.gateway.manage('GET', `/guardrails/${data.id}`)).data.content_filters).toEqual([
          ...theirs,
          { pattern: 'mine', action: 'redact', label: null },
        ]);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'shows names as texts, and to a bound key those of its workspace alone',
      async () => {
        const all = await suite.signedIn(`/console/guardrails/${named[0]}`);
        await settled(all);
        for (const text of [SCRIPT, TEN_THOUSAND])
          await expectShown(() => all.page.getByText(text, { exact: true }).count()).toBeGreaterThan(0);
        await expectShown(() => all.page.locator('script:not([src]), img').count()).toBe(0);
        suite.soundly(all);
        const bound = await suite.open('/console/guardrails');
        await signIn(bound, boundKey);
        await settled(bound);
        await expectShown(() => bound.page.locator('tbody tr').count()).toBe(1);
        await bound.page.getByRole('link', { name: 'مفتاح الفريق' }).click();
        await heading(bound, /^Guardrail/);
        await bound.page.getByLabel('Text of a user').fill('hello');
        await bound.page.getByRole('button', { name: 'Try it' }).click();
        await bound.page.getByText('Passes unchanged').waitFor();
        await bound.page.goto(`${suite.gateway.origin}/console/guardrails/${named[0]}`);
        await bound.page.getByRole('alert').waitFor();
        for (const status of [401, 404]) expectStatus(bound, status);
        suite.soundly(bound);
      },
      STEP_MS_MAX,
    );

    it(
      'is used by the keyboard alone, and leads back where the session is over',
      async () => {
        const watched = await suite.open('/console/guardrails');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/^New guardrail$/);
        await heading(watched, 'New guardrail');
        await reader.reach(/^Name$/);
        await reader.type('By keyboard');
        await reader.activate(/^Make the guardrail$/);
        await heading(watched, 'Guardrail By keyboard');
        await settled(watched);
        await reader.reach(/^Text of a user$/);
        await reader.type('Hello');
        await reader.activate(/^Try it$/);
        await page.getByText('Passes unchanged').waitFor();
        clock.aheadMs += HOUR_MS;
        await reader.activate(/^Try it$/);
        await heading(watched, 'Sign in to Fairlead');
        await reader.signIn();
        await heading(watched, 'Guardrail By keyboard');
        await reader.activate(/^Delete$/);
        await page.getByRole('dialog').waitFor();
        await reader.activate(/^Delete the guardrail$/);
        await heading(watched, 'Guardrails');
        expectStatus(watched, 401);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);
