/**
 * Content filters read what tools send outside before it is sent, and what tools return before a model reads it.
 * Blocked content goes no further, redacted content continues without the match, and flagged content is reported. The
 * real application, whole and streamed, on every face, with a strict upstream, an engine and a site on loopback.
 */
import { MANAGEMENT_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import type { Script } from '../support/upstream-answers.js';
import { responsesBody } from '../http/translation-bench.js';
import { startUpstream, Upstream } from '../support/upstreams.js';
import { startWebServer, whole, type WebServer } from '../support/web-server.js';

const SECRET = 'PRJ-4711';
const GONE = '[REDACTED:project]';
type Action = 'block' | 'redact' | 'flag';
const PATHS = { messages: '/messages', chat: '/chat/completions', responses: '/responses' } as const;
type Face = keyof typeof PATHS;
const FACES = Object.keys(PATHS) as Face[];
type Call = { readonly name: string; readonly input: object };

const TOOLS = [
  { type: 'openrouter:web_search' },
  { type: 'openrouter:web_fetch' },
  { type: 'openrouter:bash', parameters: { engine: 'openrouter' } },
];

describeOnEmbedded('content filters over tools', (database) => {
  let model: Upstream;
  let engine: Upstream;
  let site: WebServer;
  let gateway: TestGateway;
  let found = '';
  const keys = new Map<Action, string>();

  beforeAll(async () => {
    model = await startUpstream('anthropic');
    const { rules, answer } = SEARCH_DOUBLES.exa;
    engine = await new Upstream(rules, (request, index) => {
      const reply = answer([{ url: 'https://a.test/', title: 'A', text: found }]);
      return typeof reply === 'function' ? (reply as Script)(request, index) : reply;
    }).listen();
    site = await startWebServer();
    const catalog = catalogOf({ id: 'test/one', at: [{ url: model.url, dialect: 'anthropic-messages' }] });
    const exa = { base_url: engine.url, credential: { value: KEY } };
    gateway = await startGateway(database, {
      catalog: { ...catalog, tools: { web_search: { engines: { exa } } } },
      variables: { FAIRLEAD_EGRESS_ALLOW: `127.0.0.2:${site.port}` },
    });
    for (const action of ['block', 'redact', 'flag'] as const) keys.set(action, await guardedKey(action));
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([model, engine, site].map((server) => server?.close()));
  });
  beforeEach(() => {
    for (const upstream of [model, engine]) upstream.requests.length = 0;
    site.paths.length = 0;
    found = 'nothing of note';
  });

  async function manage(path: string, body: object): Promise<JsonBody> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', key: MANAGEMENT_KEY, headers, body: JSON.stringify(body) };
    return (await (await gateway.request(path, init)).json()) as JsonBody;
  }

  /** A key whose guardrail applies this action to matches. */
  async function guardedKey(action: Action): Promise<string> {
    const { key, hash } = await gateway.newKey();
    const content_filters = [{ pattern: 'PRJ-\\d+', action, label: 'project' }];
    const { data } = await manage('/guardrails', { name: action, content_filters });
    await manage(`/guardrails/${data.id}/assignments/keys`, { key_hashes: [hash] });
    return key;
  }

  interface Outcome {
    readonly status: number;
    readonly text: string;
    /** The calls and results that the model was sent; undefined: it was not called again. */
    readonly modelInput: string | undefined;
  }

  async function ask(call: Call, action: Action, face: Face, stream: boolean, fields: object = {}): Promise<Outcome> {
    const scripts = [anthropicToolUse(call), anthropicText('done')];
    model.script((request, index) => scripts[Math.min(index, 1)]!(request, index));
    const messages = [{ role: 'user', content: 'Go.' }];
    const shared = { model: 'test/one', max_tokens: 100, messages, tools: TOOLS, ...fields };
    const body = face === 'responses' ? responsesBody(shared) : shared;
    const response = await gateway.request(PATHS[face], {
      method: 'POST',
      key: keys.get(action)!,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ ...body, stream }),
    });
    const { status } = response;
    const text = await response.text();
    const again = model.requests[1]?.json;
    return { status, text, modelInput: again && JSON.stringify(again.messages.slice(1)) };
  }

  /** Blocked: nothing continues, and the caller gets the reason, with the patterns where there is an HTTP status. */
  function expectBlocked({ status, text, modelInput }: Outcome, stream: boolean): void {
    expect([status, modelInput]).toEqual([stream ? 200 : 403, undefined]);
    expect(text).toContain('A guardrail blocked this request: it contains project.');
    if (!stream) expect(JSON.parse(text).error.metadata).toMatchObject({ patterns: ['project'] });
  }

  /** The routing metadata report the guardrail once. */
  function expectFlagged({ status, text }: Outcome, action: Action): void {
    expect(status).toBe(200);
    const times = (words: string): number => text.split(words).length - 1;
    // The metadata appear under two names.
    expect([times('"pipeline":') > 0, times(`"action":"${action}"`)]).toEqual([true, times('"pipeline":')]);
  }

  const search = (query: string): Call => ({ name: 'web_search', input: { query } });
  const page = (path: string): Call => ({ name: 'web_fetch', input: { url: `${site.origin}${path}` } });
  const run = (command: string): Call => ({ name: 'bash', input: { command } });

  /** What was requested outside. */
  const sentOutside = (): string => JSON.stringify([engine.requests.map(({ json }) => json), site.paths]);

  const GOING_OUT: readonly (readonly [string, () => Call])[] = [
    ['the query of a search', () => search(`about ${SECRET}`)],
    ['the address of a page', () => page(`/about?${SECRET}`)],
  ];
  /** None of them can be redacted: a part of a domain or location would be another domain or location. */
  const OPTIONS: readonly (readonly [string, object])[] = [
    ['domains to search', { include_domains: [`${SECRET}.test`] }],
    ['domains to leave out', { exclude_domains: [`${SECRET}.test`] }],
    ['a location', { user_location: { type: 'approximate', city: SECRET } }],
  ];
  const COMING_IN: readonly (readonly [string, () => Call])[] = [
    [
      'a result of a search',
      () => {
        found = `It is about ${SECRET}.`;
        return search('it');
      },
    ],
    [
      'a page',
      () => {
        site.at('/page', whole('text/plain', `It is about ${SECRET}.`));
        return page('/page');
      },
    ],
    // The source of the command does not match the pattern.
    ['what a command prints', () => run('printf PRJ-; echo 4711')],
  ];

  describe.each(FACES)('on %s', (face) => {
    describe.each([false, true])('stream %s', (stream) => {
      it.each(GOING_OUT)('blocks %s before it is sent', async (_, call) => {
        expectBlocked(await ask(call(), 'block', face, stream), stream);
        expect(sentOutside()).toBe('[[],[]]');
      });

      it.each(GOING_OUT)('redacts %s, outside and for the model', async (_, call) => {
        const outcome = await ask(call(), 'redact', face, stream);
        expectFlagged(outcome, 'redact');
        expect([sentOutside().includes(SECRET), outcome.modelInput!.includes(SECRET)]).toEqual([false, false]);
        expect(decodeURIComponent(sentOutside())).toContain(GONE);
        expect(outcome.modelInput).toContain(GONE);
      });

      it.each(GOING_OUT)('flags %s', async (_, call) => {
        expectFlagged(await ask(call(), 'flag', face, stream), 'flag');
        expect(sentOutside()).toContain(SECRET);
      });

      it.each(OPTIONS)('blocks %s of the plugin, for every action', async (_, options) => {
        const fields = { plugins: [{ id: 'web', engine: 'exa', ...options }], tools: undefined };
        for (const action of ['block', 'redact'] as const) {
          const { status } = await ask(run('true'), action, face, stream, fields);
          expect([status, sentOutside(), model.requests]).toEqual([403, '[[],[]]', []]);
        }
        await ask(run('true'), 'flag', face, stream, fields);
        expect(model.requests).not.toEqual([]);
      });

      it.each(COMING_IN)('blocks %s before the model reads it', async (_, call) => {
        expectBlocked(await ask(call(), 'block', face, stream), stream);
      });

      it.each(COMING_IN)('redacts %s for the model', async (_, call) => {
        const outcome = await ask(call(), 'redact', face, stream);
        expectFlagged(outcome, 'redact');
        expect([outcome.modelInput!.includes(SECRET), outcome.modelInput!.includes(GONE)]).toEqual([false, true]);
      });

      it.each(COMING_IN)('flags %s', async (_, call) => {
        const outcome = await ask(call(), 'flag', face, stream);
        expectFlagged(outcome, 'flag');
        expect(outcome.modelInput).toContain(SECRET);
      });
    });
  });
});
