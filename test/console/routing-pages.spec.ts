/**
 * Checks the pages of providers, models and explanations in a real Chromium over the real application: the state of a
 * provider and its day are those of its calls, prices those of the catalog, and a plan is that of the API.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { catalogOf } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { expectShown, settled, sideways, SIZES, STEP_MS_MAX } from '../support/console-browser.js';
import { describeConsole, heading, itFits, KeyboardReader, SCRIPT } from '../support/console-suite.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const upstreams: Upstream[] = [];

describeConsole(
  'the pages of routing',
  {
    coolsDown: true,
    prepare: async () => {
      for (let count = 0; count < 2; count++) {
        const upstream = await startUpstream('anthropic');
        upstream.script(anthropicText('Hi.'));
        upstreams.push(upstream);
      }
      const at = upstreams.map(({ url }) => ({ url, dialect: 'anthropic-messages' as const }));
      return {
        catalog: catalogOf(
          { id: 'test/one', at, model: { name: SCRIPT } },
          { id: 'test/other', at: [at[1]!] },
          { id: `test/${'long'.repeat(50)}`, at: [at[0]!] },
        ),
      };
    },
    fill: async (gateway) => {
      for (let count = 0; count < 3; count++) await gateway.messages(ask('test/one'));
      upstreams[1]!.script({ status: 500, body: FAILURE });
      for (let count = 0; count < 5; count++) await gateway.messages(ask('test/other'));
      await gateway.manage('POST', '/byok', { provider: 'p1', key: 'an-own-credential' });
    },
  },
  (suite) => {
    afterAll(async () => {
      for (const upstream of upstreams) await upstream.close();
    });

    itFits(suite, 'the list of providers', () => '/console/providers', 'Providers');
    itFits(suite, 'a provider', () => '/console/providers/p0', /p0/i);
    itFits(suite, 'an unknown provider', () => '/console/providers/none', 'No such provider');
    itFits(suite, 'the list of models', () => '/console/models', 'Models');
    itFits(suite, 'a model', () => '/console/models/test/one', 'Model test/one');
    itFits(
      suite,
      'an explanation',
      () => '/console/explain?model=test/one',
      'Explain',
      async (watched) => {
        await watched.page.getByLabel('Without these providers').fill('p1');
        await watched.page.getByRole('button', { name: 'Explain' }).click();
        await watched.page.getByRole('heading', { name: 'Plan for test/one' }).waitFor();
      },
    );

    it.each(SIZES)(
      'show a provider in trouble, its day, who reaches it, and its models, at $width pixels',
      async (viewport) => {
        const watched = await suite.signedIn('/console/providers', { viewport });
        await settled(watched);
        const { page } = watched;
        // Providers in trouble come first.
        const row = page.locator('tbody tr').first();
        await expectShown(() => row.innerText()).toMatch(/down|degraded/);
        await expectShown(() => row.innerText()).toContain('1 own');
        await expectShown(() => row.getByRole('img').getAttribute('aria-label')).toMatch(
          /^Requests of 24 hours: [58], 5 failed/,
        );
        await row.getByRole('link').click();
        await heading(watched, /p1/i);
        await settled(watched);
        await page.getByText('Numbers').click();
        const hour = `${new Date().toISOString().slice(0, 13).replace('T', ' ')}:00`;
        await expectShown(() => page.getByRole('row', { name: hour }).innerText()).toMatch(/5$/);
        await page.getByRole('link', { name: 'test/one' }).click();
        await heading(watched, 'Model test/one');
        await settled(watched);
        await expectShown(() => page.getByRole('table', { name: 'Endpoints' }).locator('tbody tr').count()).toBe(2);
        const { data } = await suite.gateway.manage('GET', '/models/test/one/endpoints');
        const price = page.getByRole('table', { name: 'Prices' }).locator('tbody tr').first().locator('data').first();
        await expectShown(async () => Number(await price.getAttribute('value'))).toBeCloseTo(
          Number(data.endpoints[0].pricing.prompt) * 1e6,
          9,
        );
        await expectShown(() => sideways(watched)).toBe(0);
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'filter providers and models by the address',
      async () => {
        const watched = await suite.signedIn('/console/providers?q=p1');
        const { page } = watched;
        await settled(watched);
        await expectShown(() => page.locator('tbody tr').count()).toBe(1);
        await page.getByLabel('Name contains').fill('no such');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByText('No provider fits these filters.').waitFor();
        await page.goto(`${suite.gateway.origin}/console/models?q=other`);
        await settled(watched);
        await expectShown(() => page.locator('tbody tr').count()).toBe(1);
        // A name is a text.
        await page.goto(`${suite.gateway.origin}/console/models?q=one`);
        await page.getByText(SCRIPT, { exact: true }).waitFor();
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'explain a request: candidates, chances, bounds, what was left out, and what would be without one',
      async () => {
        const watched = await suite.signedIn('/console/models/test/one');
        const { page } = watched;
        await page.getByRole('link', { name: 'Where a request for it would go' }).click();
        await heading(watched, 'Explain');
        await page.getByRole('button', { name: 'Explain' }).click();
        const candidates = page.getByRole('table', { name: 'Candidates in their order' });
        await candidates.waitFor();
        const seed = await page.locator('.facts code').innerText();
        const body = { model: 'test/one', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] };
        const { data } = await suite.gateway.manage('POST', `/routing/explain?seed=${seed}`, body);
        await expectShown(() => candidates.locator('tbody th').allInnerTexts()).toEqual(
          data.candidates.map(({ tag }: { tag: string }) => tag),
        );
        const label = await page.locator('.plan svg').getAttribute('aria-label');
        expect(label).toContain(`1: ${data.candidates[0].tag}`);
        const bounds = await candidates
          .locator('tbody tr:first-child data')
          .evaluateAll((cells) => cells.map((cell) => Number((cell as unknown as { value: string }).value)));
        expect(bounds).toContain(Number(data.candidates[0].bound));
        const first = data.candidates[0].provider;
        await candidates
          .getByRole('button', { name: `Without ${first}` })
          .first()
          .click();
        await page.getByRole('button', { name: `With ${first} again` }).waitFor();
        const left = page.getByRole('table', { name: 'Left out' });
        await expectShown(() => left.innerText()).toContain('is ignored (provider.ignore)');
        await page.getByRole('button', { name: `With ${first} again` }).click();
        await left.getByText('is ignored').waitFor({ state: 'detached' });
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it.each([
      ['messages', { model: 'test/other', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }],
      ['chat', { model: 'test/other', messages: [{ role: 'user', content: 'x' }] }],
      ['responses', { model: 'test/other', input: 'x' }],
    ])(
      'explain a pasted body of %s, and what is wrong with one',
      async (format, body) => {
        const watched = await suite.signedIn('/console/explain');
        const { page } = watched;
        await page.getByText('A pasted body').click();
        await page.getByLabel('Its format').selectOption(format);
        const field = page.getByLabel('Body of the request');
        await field.fill('{');
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByText(/^This is no JSON: /).waitFor();
        await field.fill(JSON.stringify({ ...body, provider: 5 }));
        await page.getByRole('button', { name: 'Explain' }).click();
        await page
          .getByRole('alert')
          .getByText(/^provider: /)
          .waitFor();
        await field.fill(JSON.stringify(body));
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByRole('heading', { name: 'Plan for test/other' }).waitFor();
        watched.faults.splice(
          0,
          watched.faults.length,
          ...watched.faults.filter((one) => !one.includes('status of 400')),
        );
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'state why a changed catalog file is not in force',
      async () => {
        const { catalogPath } = suite.gateway;
        const whole = readFileSync(catalogPath, 'utf8');
        const watched = await suite.signedIn('/console/models');
        const { page } = watched;
        await heading(watched, 'Models');
        await settled(watched);
        await expectShown(() => page.getByText('was changed and refused').count()).toBe(0);
        try {
          writeFileSync(catalogPath, whole.replace('"version":1', '"version":2'));
          await expectShown(async () => (await suite.gateway.manage('GET', '/catalog')).data.faults).toHaveLength(1);
          for (const title of ['Models', 'Providers']) {
            await page.goto(`${suite.gateway.origin}/console/${title.toLowerCase()}`);
            await page.getByText('The catalog file was changed and refused.').waitFor();
            await expectShown(() => page.locator('.failure li').innerText()).toMatch(
              /^catalog-\d+\.json:1 version must be 1$/,
            );
          }
        } finally {
          writeFileSync(catalogPath, whole);
        }
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );

    it(
      'are used by the keyboard alone',
      async () => {
        const watched = await suite.open('/console/providers');
        const { page } = watched;
        const reader = new KeyboardReader(watched);
        await reader.signIn();
        await settled(watched);
        await reader.activate(/p0$/i);
        await heading(watched, /p0/i);
        await settled(watched);
        await reader.activate(/^test\/one$/);
        await heading(watched, 'Model test/one');
        await settled(watched);
        await reader.activate(/^Where a request for it would go$/);
        await heading(watched, 'Explain');
        await reader.activate(/^Explain$/);
        await reader.reach(/^Prompt$/);
        await reader.type('Hello');
        await reader.reach(/^Only where nothing is kept$/);
        await reader.press('Enter');
        await page.getByRole('heading', { name: 'Plan for test/one' }).waitFor();
        await reader.activate(/^Without p\d$/);
        await page.getByRole('button', { name: /^With p\d again$/ }).waitFor();
        suite.soundly(watched);
      },
      STEP_MS_MAX,
    );
  },
);

const FAILURE = JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'broken' } });

const ask = (model: string): object => ({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Say hello.' }] });
