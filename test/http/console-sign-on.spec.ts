/**
 * Signing in to the console by an issuer of OpenID Connect: the whole way over a real issuer, `oidc-provider`, and what
 * a person may do then, on both databases. Browsers are played by requests whose headers are the test's own;
 * test/console/console-sign-on.spec.ts goes the same way in Chromium.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { sendByConsole, type ConsoleRequest } from '../support/console-session.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import { CLIENT_SECRET, signInAtIssuer, startOidcIssuer, type OidcIssuer } from '../support/oidc-issuer.js';
import type { RawResponse } from '../support/raw-client.js';
import { SignOnBrowser } from '../support/sign-on-browser.js';

const MANY = Array.from({ length: 10_000 }, (_, at) => `group-${at}-of-a-large-directory`);
const PEOPLE = {
  ann: { name: 'Ann Admin', groups: ['staff', 'admins', 'team-a'] },
  bob: { name: 'Bob of A', groups: ['team-b', 'team-a'] },
  zoe: { name: 'Zoe', groups: ['team-z'] },
  eve: { name: 'Eve', groups: ['Admins', 'admin', ' admins', 'x,admins'] },
  nil: { name: 'Nil' },
  odd: { name: 'Odd', groups: { admins: true } },
  one: { name: 'One', groups: 'admins' },
  lot: { name: 'Lot', groups: [...MANY, 'admins'] },
  bad: { name: '<script>alert(1)</script>', groups: [5, null, ['admins'], 'admins'] },
};

describe.each([
  ['in the ID token', true, describeOnEachDatabase],
  ['in the user information', false, describeOnEmbedded],
])('with the groups %s', (_, hasFullTokens, describeOn) => {
  describeOn('signing in to the console by an issuer', (database) => {
    const clock = new AheadClock();
    let issuer: OidcIssuer;
    let gateway: TestGateway;
    let workspaceId: string;

    const startWith = (variables: NodeJS.ProcessEnv): Promise<TestGateway> =>
      startGateway(database, {
        clock,
        variables: { FAIRLEAD_FLOOD: 'auth=10000/60s', ...issuer.variables, ...variables },
      });
    const GROUPS = {
      FAIRLEAD_OIDC_ADMIN_GROUPS: 'admins',
      FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'team-a=a,team-b=b,team-z=z',
    };

    beforeAll(async () => {
      issuer = await startOidcIssuer({ people: PEOPLE, hasFullTokens });
      gateway = await startWith(GROUPS);
      issuer.trust(gateway.origin);
      workspaceId = (await gateway.manage('POST', '/workspaces', { name: 'A', slug: 'a' })).data.id;
      await gateway.manage('POST', '/workspaces', { name: 'B', slug: 'b' });
    }, 240_000);
    afterAll(async () => {
      await gateway?.close();
      await issuer?.close();
    });

    const send = (request: ConsoleRequest): Promise<RawResponse> => sendByConsole(gateway, request);
    const signIn = async (login: string): Promise<RawResponse> => {
      const browser = new SignOnBrowser(gateway.origin);
      return browser.finish(await signInAtIssuer((await browser.begin()).json.data.url, login));
    };
    const cookieOf = ({ status, headers, json }: RawResponse): string => {
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
      return /__Host-fairlead=[\w-]{43}/.exec(headers['set-cookie']!)![0];
    };

    it('begins nothing at the start, and the page names the issuer', async () => {
      const page = await send({ path: '/console', headers: {} });
      expect(page.body.toString()).toContain(` data-issuer="${new URL(issuer.issuer).host}"`);
    });

    it('makes an administrator of who is in a group of administrators', async () => {
      const reply = await signIn('ann');
      const cookie = cookieOf(reply);
      expect(reply.json.data).toEqual({
        id: hashKey(cookie.split('=')[1]!),
        key: null,
        person: { issuer: issuer.issuer, subject: 'ann', name: 'Ann Admin', group: 'admins' },
        label: 'Another program',
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        expires_at: expect.any(String),
        current: true,
      });
      for (const path of [
        '/api/v1/credits',
        '/api/v1/keys',
        '/api/v1/audit',
        '/console/sessions',
        '/api/v1/models/count',
      ])
        expect([path, (await send({ path, cookie })).status]).toEqual([path, 200]);
      expect((await send({ path: '/api/v1/key', cookie })).status).toBe(404);
      const body = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
      expect((await send({ method: 'POST', path: '/api/v1/messages', cookie, body })).status).toBe(401);
      const explained = await send({ method: 'POST', path: '/api/v1/routing/explain', cookie, body });
      expect([explained.status, explained.json.error]).toEqual([200, undefined]);
      // A change still needs the page of the console.
      const foreign = { 'sec-fetch-site': 'cross-site', 'x-fairlead-console': '1' };
      expect((await send({ method: 'POST', path: '/api/v1/keys', cookie, headers: foreign, body: { name: 'n' } })).status).toBe(403); // oxfmt-ignore
    });

    it('limits who is in a group of a workspace to that workspace: of several to the first of the settings', async () => {
      const cookie = cookieOf(await signIn('bob'));
      const statuses = async (...paths: readonly string[]): Promise<unknown> =>
        Promise.all(paths.map(async (path) => (await send({ path, cookie })).status));
      expect(await statuses('/api/v1/credits', '/api/v1/alarms', '/api/v1/workspaces/b', '/api/v1/workspaces/a')).toEqual([403, 403, 404, 200]); // oxfmt-ignore
      const { json: listed } = await send({ path: '/api/v1/workspaces', cookie });
      expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([workspaceId]);
      const made = await send({ method: 'POST', path: '/api/v1/keys', cookie, body: { name: 'by bob' } });
      expect([made.status, made.json.data.workspace_id]).toEqual([201, workspaceId]);
      const keys = await send({ path: '/api/v1/keys', cookie });
      expect(keys.json.data.map(({ name }: { name: string }) => name)).toEqual(['by bob']);
      const elsewhere = await send({
        method: 'POST',
        path: '/api/v1/keys',
        cookie,
        body: { name: 'n', workspace_id: 'b' },
      });
      expect(elsewhere.status).toBe(404);
      // This session sees only sessions of its own person.
      const admin = cookieOf(await signIn('ann'));
      const own = await send({ path: '/console/sessions', cookie });
      expect(new Set(own.json.data.map(({ person }: { person: { subject: string } }) => person.subject))).toEqual(new Set(['bob'])); // oxfmt-ignore
      const foreign = hashKey(admin.split('=')[1]!);
      expect((await send({ method: 'DELETE', path: `/console/sessions/${foreign}`, cookie })).status).toBe(404);
      const [{ id }] = own.json.data;
      expect((await send({ method: 'DELETE', path: `/console/sessions/${id}`, cookie: admin })).status).toBe(200);
      expect((await send({ path: '/api/v1/keys', cookie })).status).toBe(401);
    });

    it('names in the audit log who it was', async () => {
      const cookie = cookieOf(await signIn('ann'));
      const made = await send({ method: 'POST', path: '/api/v1/keys', cookie, body: { name: 'by ann' } });
      const actor = `oidc:${issuer.issuer} ann`;
      const { data } = await gateway.manage('GET', `/audit?actor=${encodeURIComponent(actor)}&limit=1`);
      expect(data).toMatchObject([
        { action: 'api_key.create', target: made.json.data.hash, actor: { key_hash: actor, user_id: 'Ann Admin', session: true } },
      ]); // oxfmt-ignore
      const opened = await gateway.manage('GET', `/audit?action=console_session.create&limit=1`);
      expect(opened.data[0]).toMatchObject({
        actor: { key_hash: actor, user_id: 'Ann Admin' },
        after: { key: null, person: { subject: 'ann', group: 'admins' } },
      });
    });

    it.each([
      ['no list', 'nil', /names no groups\. Its administrator adds a claim groups/],
      ['an object', 'odd', /names no groups/],
      ['names that are nearly those of the settings', 'eve', /knows you as Eve, in none of the groups .* FAIRLEAD_OIDC_ADMIN_GROUPS/],
      ['a group of a workspace that does not exist', 'zoe', /belongs to the workspace z, which does not exist/],
    ])('refuses a user with the groups of %s, and states what to do', async (_groups, login, message) => {
      const reply = await signIn(login);
      expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined]);
      expect(reply.json.error.message).toMatch(message);
    }); // oxfmt-ignore

    it.each(['one', 'lot', 'bad'])('reads odd groups: of %s', async (login) => {
      expect((await signIn(login)).status).toBe(201);
    });

    it('stores no credential, and prints none', async () => {
      const browser = new SignOnBrowser(gateway.origin);
      const begun = await browser.begin();
      const answer = await signInAtIssuer(begun.json.data.url, 'ann');
      const cookie = cookieOf(await browser.finish(answer));
      const secrets = [
        cookie.split('=')[1]!,
        browser.cookie!.split('=')[1]!,
        answer.searchParams.get('code')!,
        answer.searchParams.get('state')!,
        CLIENT_SECRET,
      ];
      const rows = JSON.stringify(await gateway.gateway.app.get(DataSource).query('select * from console_sessions'));
      const log = JSON.stringify(gateway.log);
      expect(secrets.filter((secret) => rows.includes(secret) || log.includes(secret))).toEqual([]);
    });

    describe('its sessions end', () => {
      it('as all others do: after half an hour without a request, after twelve hours, by signing out', async () => {
        const [idle, old, out] = [cookieOf(await signIn('ann')), cookieOf(await signIn('ann')), cookieOf(await signIn('ann'))];
        expect((await send({ method: 'DELETE', path: '/console/session', cookie: out })).status).toBe(200);
        expect((await send({ path: '/console/session', cookie: out })).status).toBe(401);
        clock.aheadMs += 20 * MINUTE_MS;
        expect((await send({ path: '/console/session', cookie: old })).status).toBe(200);
        clock.aheadMs += 11 * MINUTE_MS;
        expect((await send({ path: '/console/session', cookie: idle })).status).toBe(401);
        for (let past = 0; past < 12 * HOUR_MS; past += 25 * MINUTE_MS) {
          await send({ path: '/console/session', cookie: old });
          clock.aheadMs += 25 * MINUTE_MS;
        }
        expect((await send({ path: '/console/session', cookie: old })).status).toBe(401);
      }); // oxfmt-ignore

      it('with the workspace, and at a restart with the group or the issuer of the settings', async () => {
        const [ann, bob] = [cookieOf(await signIn('ann')), cookieOf(await signIn('bob'))];
        const { id } = (await gateway.manage('POST', '/workspaces', { name: 'Z', slug: 'z' })).data;
        const zoe = cookieOf(await signIn('zoe'));
        const statuses = async (): Promise<unknown> =>
          Promise.all([ann, bob, zoe].map(async (cookie) => (await send({ path: '/api/v1/keys', cookie })).status));
        expect(await statuses()).toEqual([200, 200, 200]);
        await gateway.manage('DELETE', `/workspaces/${id}`);
        expect(await statuses()).toEqual([200, 200, 401]);
        await gateway.close();
        gateway = await startWith({ FAIRLEAD_OIDC_ADMIN_GROUPS: 'owners', FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'team-a=a' });
        expect(await statuses()).toEqual([401, 200, 401]);
        await gateway.close();
        gateway = await startWith({ ...GROUPS, FAIRLEAD_OIDC_ISSUER: 'https://another.example.com' });
        expect(await statuses()).toEqual([401, 401, 401]);
        await gateway.close();
        gateway = await startWith(GROUPS);
        expect(await statuses()).toEqual([200, 200, 401]);
      }, 240_000);
    });
  });
});
