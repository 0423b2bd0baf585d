/**
 * Pages of the console for those who call models: the lines of the client setup are run as they are shown; the
 * playground sends in each format, streams, shows tools and metadata, stops, and keeps no key; preferences are changed
 * with their difference before them. In a real Chromium over the real application.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  expectShown,
  expectStatus,
  openBeside,
  settled,
  STEP_MS_MAX,
  type WatchedPage,
} from '../support/console-browser.js';
import { API_KEY } from '../support/app.js';
import { describeConsole, heading, itFits, KeyboardReader, RIGHT_TO_LEFT, SCRIPT } from '../support/console-suite.js';

const run = promisify(execFile);
/** Where programs find the packages of this project. */
const ROOT = join(__dirname, '..', '..');
const FOLDER = join(ROOT, 'node_modules', '.cache', `client-lines-${process.pid}`);
const TOOLS = '{ "tools": [{ "type": "openrouter:datetime" }] }';

describeConsole(
  'pages for callers',
  {
    fill: async (gateway) => {
      for (const name of [SCRIPT, RIGHT_TO_LEFT, 'n'.repeat(100)])
        await gateway.manage('POST', '/workspaces', { name, slug: `w-${name.length}` });
    },
  },
  (suite) => {
    describe('client setup', () => {
      itFits(suite, 'it', () => '/console/clients', 'Client setup');

      it(
        'has lines with the address of this gateway, which print a reply as they are; and copies them',
        async () => {
          const watched = await suite.signedIn('/console/clients?model=sandbox/echo');
          const { page } = watched;
          await heading(watched, 'Client setup');
          await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
          const copied = async (title: string): Promise<string> => {
            await page.getByRole('button', { name: `Copy the lines for ${title}`, exact: true }).click();
            const lines = await page.evaluate<string>('navigator.clipboard.readText()');
            await expectShown(() => page.getByLabel(`Lines for ${title}`, { exact: true }).innerText()).toBe(
              lines.trimEnd(),
            );
            return lines;
          };
          const env = { PATH: process.env['PATH'], FAIRLEAD_API_KEY: API_KEY };
          mkdirSync(FOLDER, { recursive: true });
          try {
            for (const title of ['openai', '@anthropic-ai/sdk', 'AI SDK', 'LangChain']) {
              const file = join(FOLDER, 'program.mjs');
              writeFileSync(file, await copied(title));
              const { stdout } = await run(process.execPath, [file], { env });
              // Programs print warnings of their own before it.
              expect([title, stdout.trim().split('\n').at(-1)]).toEqual([title, 'Say hello']);
            }
            const { stdout } = await run('sh', ['-c', await copied('curl')], { env });
            expect(JSON.parse(stdout).choices[0].message.content).toBe('Say hello');
          } finally {
            rmSync(FOLDER, { recursive: true, force: true });
          }
          // The lines of agents are those of the page, with the versions that were tried.
          const tried = readFileSync(join(ROOT, 'docs', 'use', 'client-setup.md'), 'utf8');
          for (const agent of ['Claude Code', 'Codex', 'opencode']) {
            const lines = (await copied(agent)).replaceAll(suite.gateway.origin, 'http://127.0.0.1:8787');
            expect(tried).toContain(lines);
          }
          await page.getByLabel('Model').fill(`it's "odd"`);
          await page.getByLabel('Model').press('Enter');
          await page.getByText(`model: 'it\\'s "odd"'`).first().waitFor();
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'is used by keyboard alone: a model is named, and its lines copied',
        async () => {
          const watched = await suite.signedIn('/console/clients');
          const { page } = watched;
          await heading(watched, 'Client setup');
          await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
          const reader = new KeyboardReader(watched);
          await reader.reach(/^Model$/);
          await reader.type('sandbox/echo');
          await reader.press('Enter');
          await page.getByText(`model: 'sandbox/echo'`).first().waitFor();
          await reader.activate(/^Copy the lines for curl$/);
          await page.getByText('Copied.').waitFor();
          await expectShown(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain(
            '{"model":"sandbox/echo"',
          );
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );
    });

    describe('the playground', () => {
      itFits(
        suite,
        'it',
        () => '/console/playground',
        'Playground',
        async (watched) => {
          await fill(watched, { more: TOOLS, model: 'sandbox/tools', message: 'call datetime' });
          await watched.page.getByRole('button', { name: 'Send' }).click();
          await watched.page.getByText('The reply is complete.').waitFor();
          await watched.page.getByText('Routing metadata').click();
        },
      );

      it.each([
        ['Messages', 'openrouter:datetime', 'call datetime', /Tool: datetime[^]*Tool: openrouter_datetime_tool_result/],
        ['Responses', 'openrouter:datetime', 'call datetime', /Tool: openrouter:datetime/],
        ['Messages', 'get_weather', 'call get_weather {"city":"Oslo"}', /Tool: get_weather\s+\{"city": ?"Oslo"\}/],
        [
          'Chat completions',
          'get_weather',
          'call get_weather {"city":"Oslo"}',
          /Tool: get_weather\s+\{"city": ?"Oslo"\}/,
        ],
        ['Responses', 'get_weather', 'call get_weather {"city":"Oslo"}', /Tool: get_weather[^]*Oslo/],
      ])(
        'sends %s with %s, and shows what comes: tools, usage and metadata',
        async (format, tool, message, shownTool) => {
          const watched = await suite.signedIn('/console/playground');
          const { page } = watched;
          await fill(watched, { format, model: 'sandbox/tools', message, more: printTool(format, tool) });
          await page.getByRole('button', { name: 'Send' }).click();
          await page.getByText('The reply is complete.').waitFor();
          const reply = page.getByRole('region', { name: 'Reply', exact: true });
          const shown = await reply.innerText();
          expect(shown).toMatch(shownTool);
          await expectShown(() => reply.getByLabel('Usage and cost').innerText()).toMatch(/"cost": 0\.\d/);
          await page.getByText('Routing metadata').click();
          await expectShown(() => reply.getByLabel('Routing metadata').innerText()).toContain('"selected": true');
          await page.getByRole('link', { name: 'Show this generation' }).click();
          await heading(watched, /^Generation gen-/);
          await settled(watched);
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'stops a reply, whose key is neither kept nor in any address',
        async () => {
          const watched = await suite.signedIn('/console/playground');
          const { page, requested } = watched;
          await fill(watched, { model: 'sandbox/slow', message: 'A long story. '.repeat(40) });
          await page.getByRole('button', { name: 'Send' }).click();
          await page.getByRole('region', { name: 'Text of the reply' }).waitFor();
          await page.getByRole('button', { name: 'Stop' }).click();
          await page.getByText('The reply was stopped.').waitFor();
          await expectShown(() => page.getByRole('alert').count()).toBe(0);
          const positions = await page.evaluate<string>(
            'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.body.innerText])',
          );
          expect(positions).not.toContain(API_KEY);
          expect(requested.filter((address) => address.includes(API_KEY))).toEqual([]);
          await page.getByRole('link', { name: 'Client setup' }).click();
          await page.getByRole('link', { name: 'Playground' }).click();
          await expectShown(() => page.getByLabel('Inference key').inputValue()).toBe('');
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'states in the words of the API why a request is refused, also behind the beginning of a reply',
        async () => {
          const watched = await suite.signedIn('/console/playground');
          const { page } = watched;
          const attempt = async (fields: Partial<Fields>): Promise<string> => {
            await fill(watched, fields);
            await page.getByRole('button', { name: 'Send' }).click();
            await page.getByRole('alert').waitFor();
            return page.getByRole('alert').innerText();
          };
          expect(await attempt({ key: 'sk-fl-v1-none' })).toMatch(/Invalid API key[^]*Request \S+, status 401/);
          expect(await attempt({ model: 'no/such-model' })).toMatch(/no\/such-model/);
          expect(await attempt({ model: 'sandbox/cut' })).not.toBe('');
          await fill(watched, { model: 'sandbox/echo', more: '[1]' });
          await page.getByRole('button', { name: 'Send' }).click();
          await page.getByText('must be a JSON object').waitFor();
          for (const status of [400, 401, 404]) expectStatus(watched, status);
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );

      it(
        'is used by keyboard alone',
        async () => {
          const watched = await suite.signedIn('/console/playground');
          const reader = new KeyboardReader(watched);
          await reader.reach(/^Inference key$/);
          await reader.type(API_KEY);
          await reader.reach(/^Message$/);
          await reader.type('By keyboard.');
          await reader.activate(/^Send$/);
          await watched.page.getByRole('region', { name: 'Text of the reply' }).getByText('By keyboard.').waitFor();
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );
    });

    describe('preferences', () => {
      itFits(suite, 'those of the account', () => '/console/preferences', 'Preferences');

      it(
        'are changed with their difference before, and in force then',
        async () => {
          const watched = await suite.signedIn('/console/preferences');
          const { page } = watched;
          await page.getByLabel('Defaults of plugins (JSON)').fill('[{ "id": "web", "enabled": false, "prevent_overrides": true }]');
          await page.getByLabel('Domains that they may not reach').fill('paste.example.com');
          await page.getByRole('button', { name: 'Review the change' }).click();
          const dialog = page.getByRole('dialog');
          await expectShown(() => dialog.innerText()).toMatch(/Defaults of plugins[^]*"prevent_overrides": true[^]*paste\.example\.com/);
          await dialog.getByRole('button', { name: 'Save' }).click();
          await page.getByRole('cell', { name: 'cannot change it' }).waitFor();
          expect((await suite.gateway.manage('GET', '/account/preferences')).data).toMatchObject({
            plugins: [{ id: 'web', enabled: false, prevent_overrides: true }],
            egress: { allowed_domains: null, blocked_domains: ['paste.example.com'] },
          });
          // Another person changes it meanwhile: the later one sees it.
          const beside = await openBeside(watched, page.url());
          await beside.page.getByLabel('Domains that they may not reach').fill('');
          await suite.gateway.manage('PATCH', '/account/preferences', { data_collection: 'deny' });
          await beside.page.getByRole('button', { name: 'Review the change' }).click();
          await beside.page.getByText('Another person has changed this since you opened it').waitFor();
          await beside.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
          await beside.page.getByText('Saved.').waitFor();
          expect((await suite.gateway.manage('GET', '/account/preferences')).data).toMatchObject({ egress: null, data_collection: 'deny' });
          suite.soundly(watched);
          suite.soundly(beside);
        },
        STEP_MS_MAX,
      ); // oxfmt-ignore

      it(
        'of a workspace are changed by keyboard alone; a wrong entry is refused at its field',
        async () => {
          const watched = await suite.signedIn('/console/preferences');
          const { page } = watched;
          await settled(watched);
          const reader = new KeyboardReader(watched);
          await reader.activate(/^Default workspace$/);
          await page.getByLabel('Allowed providers').waitFor();
          await reader.reach(/^Allowed providers$/);
          await reader.type('no-such-provider');
          await reader.activate(/^Review the change$/);
          await reader.activate(/^Save$/);
          await page.locator('.refused').waitFor();
          await expectShown(() => reader.focused()).toBe('Allowed providers');
          await reader.type('sandbox');
          await reader.activate(/^Review the change$/);
          await reader.activate(/^Save$/);
          await page.getByText('Saved.').waitFor();
          const { data } = await suite.gateway.manage('GET', '/workspaces/default');
          expect(data.allowed_providers).toEqual(['sandbox']);
          expectStatus(watched, 400);
          suite.soundly(watched);
        },
        STEP_MS_MAX,
      );
    });
  },
);

/** A tool of the gateway by its type, or a function by its name, in the words of a format. */
function printTool(format: string, tool: string): string {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const functions: Readonly<Record<string, object>> = {
    Messages: { name: tool, input_schema: parameters },
    'Chat completions': { type: 'function', function: { name: tool, parameters } },
    Responses: { type: 'function', name: tool, parameters },
  };
  return JSON.stringify({ tools: [tool.includes(':') ? { type: tool } : functions[format]] });
}

interface Fields {
  readonly key: string;
  readonly format: string;
  readonly model: string;
  readonly message: string;
  readonly more: string;
}

async function fill({ page }: WatchedPage, { key = API_KEY, format, model, message, more }: Partial<Fields>): Promise<void> {
  await page.getByLabel('Inference key').fill(key);
  if (format !== undefined) await page.getByLabel('Format').selectOption({ label: format });
  if (model !== undefined) await page.getByLabel('Model').fill(model);
  if (message !== undefined) await page.getByLabel('Message', { exact: true }).fill(message);
  await page.getByLabel('Further fields of the body').fill(more ?? '');
} // oxfmt-ignore
