/**
 * Attacks on the sign-in to the console by an issuer: forged tokens from an issuer that answers whatever the test
 * wants, answers for another browser, replays, mixed-up issuers, foreign addresses; an issuer that fails. None opens a
 * session, and the way in by a key stays open.
 */
import { MINUTE_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { ENCRYPTION_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { CONSOLE_HEADERS, sendByConsole, signInByKey } from '../support/console-session.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import { metadataOf, startForgingIssuer, type ForgedToken, type ForgingIssuer } from '../support/forging-issuer.js';
import { CLIENT_ID, CLIENT_SECRET, signInAtIssuer, startOidcIssuer, type OidcIssuer } from '../support/oidc-issuer.js';
import type { RawResponse } from '../support/raw-client.js';
import { SignOnBrowser } from '../support/sign-on-browser.js';

const PEOPLE = { ann: { name: 'Ann', groups: ['admins'] } };
const GROUPS = { FAIRLEAD_OIDC_ADMIN_GROUPS: 'admins' };
const NOT_BEGUN = /^This sign-in was not begun in this browser/;

/** @returns status, message, and whether a cookie was set */
const outcomeOf = ({ status, json, headers }: RawResponse): readonly [number, string | undefined, boolean] => [
  status,
  json.error?.message,
  /__Host-fairlead=/.test(headers['set-cookie'] ?? ''),
];

describeOnEmbedded('forged answers of an issuer', (database) => {
  const clock = new AheadClock();
  let issuer: ForgingIssuer;
  let gateway: TestGateway;

  beforeAll(async () => {
    issuer = await startForgingIssuer();
    const variables = {
      FAIRLEAD_FLOOD: 'auth=10000/60s',
      FAIRLEAD_OIDC_ISSUER: issuer.issuer,
      FAIRLEAD_OIDC_CLIENT_ID: CLIENT_ID,
      FAIRLEAD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      ...GROUPS,
    };
    gateway = await startGateway(database, { clock, variables });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await issuer?.close();
  });
  afterEach(() => {
    issuer.answer = undefined;
    // The issuer's discovery document is read again.
    clock.aheadMs += 61 * MINUTE_MS;
  });

  const finishWith = async (token: ForgedToken): Promise<RawResponse> => {
    const browser = new SignOnBrowser(gateway.origin);
    const { searchParams } = new URL((await browser.begin()).json.data.url);
    issuer.forge(searchParams.get('nonce')!, token);
    return browser.finish(new URL(`${browser.address}?code=c&state=${searchParams.get('state')}`));
  };
  const seconds = Math.floor(Date.now() / 1_000);

  it.each<[string, ForgedToken]>([
    ['as it should be', {}],
    ['for a moment expired, within the tolerance', { endsInSeconds: -5 }],
    [
      'for several clients, of which this one is the authorised',
      { claims: { aud: [CLIENT_ID, 'other'], azp: CLIENT_ID } },
    ],
  ])('open a session by an ID token that is %s', async (_, token) => {
    expect(outcomeOf(await finishWith(token))).toEqual([201, undefined, true]);
  });

  it.each<[string, ForgedToken]>([
    ['is expired', { endsInSeconds: -120 }],
    ['never ends', { claims: { exp: undefined } }],
    ['begins later', { claims: { nbf: seconds + 3_600 } }],
    ['has no signature', { header: { alg: 'none' }, signer: 'none' }],
    ['has the algorithm none, and a signature', { header: { alg: 'none' } }],
    ['has a signature of nothing', { signer: 'none' }],
    ['is signed by another key', { signer: 'foreign' }],
    ['is signed by a key that is unknown', { signer: 'foreign', header: { kid: 'another' } }],
    ['is signed by the secret', { signer: 'secret', header: { alg: 'HS256' } }],
    ['brings its own key', { signer: 'foreign', header: { kid: undefined, jwk: { kty: 'RSA', n: 'x', e: 'AQAB' } } }],
    ['is of another issuer', { claims: { iss: 'https://other.example.com' } }],
    ['is of nearly the same issuer', { claims: { iss: 'http://127.0.0.1' } }],
    ['is for another client', { claims: { aud: 'another' } }],
    ['is for several clients, and another is authorised', { claims: { aud: [CLIENT_ID, 'other'], azp: 'other' } }],
    ['is for several clients, and none is authorised', { claims: { aud: [CLIENT_ID, 'other'] } }],
    ['is of another sign-in', { claims: { nonce: 'another' } }],
    ['is of no sign-in', { claims: { nonce: undefined } }],
    ['names no person', { claims: { sub: undefined } }],
    ['names no person by a number', { claims: { sub: 5 } }],
    ['names a person at length', { claims: { sub: 's'.repeat(256) } }],
  ])('open none by an ID token that %s', async (_, token) => {
    const [status, message, hasCookie] = outcomeOf(await finishWith(token));
    expect([status, hasCookie]).toEqual([401, false]);
    expect(message).toMatch(/^The answer of the issuer is not accepted: [\w. ]+\. Try again, or sign in with a management key\.$/); // oxfmt-ignore
  });

  it.each<[string, ForgingIssuer['answer'], number]>([
    ['breaks off', (_, response) => Boolean(response.destroy()), 503],
    ['answers with a page', (_, response) => Boolean(response.setHeader('content-type', 'text/html').end('<p>')), 503],
    ['fails', (_, response) => Boolean(response.writeHead(500).end()), 503],
    ['answers too much', (_, response) => Boolean(response.end(' '.repeat(2 * 1024 * 1024))), 503],
    ['never answers', () => true, 503],
    ['leads elsewhere', (_, response) => Boolean(response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()), 503],
    ['is another', (_, response) => Boolean(response.setHeader('content-type', 'application/json').end(JSON.stringify(metadataOf('https://other.example.com')))), 401],
  ])('are none where the issuer %s, and all else works', async (_, answer, expected) => {
    issuer.answer = answer;
    const begun = await new SignOnBrowser(gateway.origin).begin();
    expect([begun.status, begun.headers['set-cookie']]).toEqual([expected, undefined]);
    expect(begun.json.error.message).toMatch(/sign in with a management key\.$/);
    expect(await signInByKey(gateway, MANAGEMENT_KEY)).toMatch(/^__Host-fairlead=/);
    issuer.answer = undefined;
    // Nothing of the failure is kept.
    expect(outcomeOf(await finishWith({}))).toEqual([201, undefined, true]);
  }, 240_000); // oxfmt-ignore

  it('open one session, also where the issuer takes a code twice', async () => {
    const browser = new SignOnBrowser(gateway.origin);
    const { searchParams } = new URL((await browser.begin()).json.data.url);
    issuer.forge(searchParams.get('nonce')!, {});
    const answer = new URL(`${browser.address}?code=c&state=${searchParams.get('state')}`);
    const replies = await Promise.all(Array.from({ length: 6 }, () => browser.finish(answer)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401, 401, 401]);
    expect(outcomeOf(await browser.finish(answer))).toEqual([401, expect.stringMatching(NOT_BEGUN), false]);
  });

  it('are none where the code is refused, or the answer is an error: its word is stated', async () => {
    const attempt = async (parameters: string): Promise<unknown> => {
      const browser = new SignOnBrowser(gateway.origin);
      const { searchParams } = new URL((await browser.begin()).json.data.url);
      return outcomeOf(await browser.finish(new URL(`${browser.address}?state=${searchParams.get('state')}&${parameters}`)));
    };
    const refused = (word: string): unknown => [401, expect.stringContaining(`not accepted: ${word}.`), false];
    expect(await attempt('error=access_denied&error_description=%3Cscript%3E')).toEqual(refused('access_denied'));
    expect(await attempt('error=%3Cscript%3E')).toEqual(refused('an unknown error'));
    expect(await attempt('code=a&code=b')).toEqual(refused('OAUTH_INVALID_RESPONSE'));
    expect(await attempt('nothing=1')).toEqual(refused('OAUTH_INVALID_RESPONSE'));
    issuer.answer = (path, response) => path === '/token' && Boolean(response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')); // oxfmt-ignore
    expect(await attempt('code=a')).toEqual(refused('invalid_grant'));
  }); // oxfmt-ignore
});

describeOnEmbedded('answers of a real issuer', (database) => {
  const clock = new AheadClock();
  let issuer: OidcIssuer;
  let gateway: TestGateway;

  beforeAll(async () => {
    issuer = await startOidcIssuer({ people: PEOPLE });
    const variables = { FAIRLEAD_FLOOD: 'auth=10000/60s', ...issuer.variables, ...GROUPS };
    gateway = await startGateway(database, { clock, variables });
    issuer.trust(gateway.origin);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await issuer?.close();
  });

  const begun = async (browser = new SignOnBrowser(gateway.origin)): Promise<[SignOnBrowser, URL]> => {
    const url = (await browser.begin()).json.data.url as string;
    return [browser, await signInAtIssuer(url, 'ann')];
  };
  const altered = (answer: URL, name: string, value: string): URL => {
    const url = new URL(answer);
    url.searchParams.set(name, value);
    return url;
  };
  const tokensRequested = (): number => issuer.requested.filter((path) => path === '/token').length;

  it('are accepted once, even if sent concurrently', async () => {
    const [browser, answer] = await begun();
    const replies = await Promise.all(Array.from({ length: 4 }, () => browser.finish(answer)));
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    for (const reply of replies.filter(({ status }) => status !== 201)) expect(outcomeOf(reply).slice(0, 1)).toEqual([401]);
    expect(outcomeOf(await browser.finish(answer))).toEqual([401, expect.any(String), false]);
  }); // oxfmt-ignore

  it.each<[string, (browser: SignOnBrowser, answer: URL, other: SignOnBrowser) => Promise<RawResponse>]>([
    ['of another browser, as in a login CSRF', (_, answer, other) => other.finish(answer)],
    ['of a browser without a cookie', (_, answer) => new SignOnBrowser(gateway.origin).finish(answer)],
    ['with another state', (browser, answer) => browser.finish(altered(answer, 'state', 'x'.repeat(76)))],
    ['with an altered state', (browser, answer) => browser.finish(altered(answer, 'state', `A${answer.searchParams.get('state')!.slice(1)}`))],
    ['without a state', (browser, answer) => browser.finish(altered(answer, 'state', ''))],
  ])('are refused %s, before the issuer is called', async (_, finish) => {
    const [browser, answer] = await begun();
    const other = new SignOnBrowser(gateway.origin);
    await other.begin();
    const before = tokensRequested();
    expect(outcomeOf(await finish(browser, answer, other))).toEqual([401, expect.stringMatching(NOT_BEGUN), false]);
    expect(tokensRequested()).toBe(before);
  }); // oxfmt-ignore

  it('are refused after ten minutes', async () => {
    const [browser, answer] = await begun();
    clock.aheadMs += 10 * MINUTE_MS;
    expect(outcomeOf(await browser.finish(answer))).toEqual([401, expect.stringMatching(NOT_BEGUN), false]);
  });

  it('are refused from another issuer, and with the code of another sign-in', async () => {
    const [browser, answer] = await begun();
    const [, second] = await begun();
    expect(answer.searchParams.get('iss')).toBe(issuer.issuer);
    const mixed = altered(answer, 'iss', 'https://other.example.com');
    expect(outcomeOf(await browser.finish(mixed))).toEqual([401, expect.stringContaining('OAUTH_INVALID_RESPONSE'), false]);
    const swapped = altered(answer, 'code', second.searchParams.get('code')!);
    expect(outcomeOf(await browser.finish(swapped))).toEqual([401, expect.stringContaining('invalid_grant'), false]);
  }); // oxfmt-ignore

  it('serve two windows of a browser, in any order', async () => {
    const [browser, first] = await begun();
    const [, second] = await begun(browser);
    expect((await browser.finish(second)).status).toBe(201);
    expect((await browser.finish(first)).status).toBe(201);
  });

  it.each([
    ['another host', (origin: string) => ({ address: 'https://evil.example.com/console/oidc', origin })],
    ['another host that it sends from', () => ({ address: 'https://evil.example.com/console/oidc', origin: 'null' })],
    ['another page', (origin: string) => ({ address: `${origin}/docs`, origin })],
    ['a user', (origin: string) => ({ address: `${origin.replace('//', '//u@')}/console/oidc`, origin })],
    ['parameters', (origin: string) => ({ address: `${origin}/console/oidc?x=/console/oidc`, origin })],
    ['another scheme', (origin: string) => ({ address: 'javascript:alert(1)/console/oidc', origin })],
    ['dots', (origin: string) => ({ address: `${origin}/a/../console/oidc`, origin })],
  ])('lead to no address with %s', async (_, request) => {
    const { address, origin } = request(gateway.origin);
    for (const [path, body] of [['/console/oidc', { address }], ['/console/session', { address, answer: 'code=c&state=s' }]] as const) {
      const reply = await sendByConsole(gateway, { method: 'POST', path, headers: { ...CONSOLE_HEADERS, origin }, body });
      expect([path, reply.status, reply.headers['set-cookie']]).toEqual([path, 400, undefined]);
    }
  }); // oxfmt-ignore

  it.each(['cross-site', 'same-site'])('are begun by no page that is %s', async (site) => {
    const headers = { 'sec-fetch-site': site, origin: gateway.origin };
    const body = { address: `${gateway.origin}/console/oidc` };
    expect((await sendByConsole(gateway, { method: 'POST', path: '/console/oidc', headers, body })).status).toBe(403);
  });
});

describeOnEmbedded('a gateway without an issuer', (database) => {
  it('begins no sign-in, and its page names none', async () => {
    const gateway = await startGateway(database);
    try {
      expect((await new SignOnBrowser(gateway.origin).begin()).status).toBe(404);
      expect((await sendByConsole(gateway, { path: '/console' })).body.toString()).not.toContain('data-issuer');
    } finally {
      await gateway.close();
    }
  }, 240_000);
});

describeOnPostgres('two replicas', (database) => {
  it('begin and end each other’s sign-ins, and take an answer once', async () => {
    const issuer = await startOidcIssuer({ people: PEOPLE });
    const variables = { ...issuer.variables, ...GROUPS, FAIRLEAD_ENCRYPTION_KEYS: ENCRYPTION_KEY };
    const [one, two] = [await startGateway(database, { variables }), await startGateway(database, { variables })];
    issuer.trust(one.origin);
    try {
      const browser = new SignOnBrowser(one.origin);
      const answer = await signInAtIssuer((await browser.begin()).json.data.url, 'ann');
      const replies = await Promise.all([browser, browser.movedTo(two.origin)].map((one_) => one_.finish(answer)));
      expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
      const next = await signInAtIssuer((await browser.begin()).json.data.url, 'ann');
      const reply = await browser.movedTo(two.origin).finish(next);
      expect(reply.status).toBe(201);
      const cookie = /__Host-fairlead=[\w-]{43}/.exec(reply.headers['set-cookie']!)![0];
      expect((await sendByConsole(one, { path: '/api/v1/keys', cookie })).status).toBe(200);
    } finally {
      await one.close();
      await two.close();
      await issuer.close();
    }
  }, 240_000);
});
