// Checks that a client receives the same events however an upstream's bytes are cut. Every recording of each dialect
// runs through the whole gateway, in one piece and in random ones, down to single bytes in the middle of a
// character.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { readResponseEvents } from '../support/response-events.js';
import { readMessagesEvents } from '../support/sse.js';
import { cutBytes } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const DIALECTS = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'responses',
} as const;

/** A route, and what its caller needs to send and to read. */
const FACES = {
  '/messages': {
    body: { max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello' }] },
    read: readMessagesEvents,
  },
  '/responses': { body: { input: 'Hello', include: ['reasoning.encrypted_content'] }, read: readResponseEvents },
} as const;
type Route = keyof typeof FACES;
const RECORDINGS = join(__dirname, '..', 'providers', 'recordings');
const CUTS_MAX = 12;
const RUNS_EACH = 12;

const CASES = (Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]).flatMap((dialect) =>
  readdirSync(join(RECORDINGS, dialect)).flatMap((file) =>
    (Object.keys(FACES) as Route[]).map((route) => ({ route, dialect, file, path: join(RECORDINGS, dialect, file) })),
  ),
);

describeOnEmbedded('replies cut anywhere', (database) => {
  const upstreams = new Map<string, Upstream>();
  let gateway: TestGateway;

  beforeAll(async () => {
    for (const [dialect, kind] of Object.entries(DIALECTS)) upstreams.set(dialect, await startUpstream(kind));
    const entries = (Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]).map((dialect) => ({
      id: `test/${dialect}`,
      at: [{ url: upstreams.get(dialect)!.url, dialect }],
    }));
    gateway = await startGateway(database, { catalog: catalogOf(...entries), variables: { LOG_LEVEL: 'warn' } });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const upstream of upstreams.values()) await upstream.close();
  });

  /** What the client gets when the upstream writes these pieces, without what differs from call to call. */
  async function replyTo(
    { route, dialect }: { route: Route; dialect: string },
    pieces: readonly Uint8Array[],
    stream: boolean,
  ): Promise<string> {
    const type = stream ? 'text/event-stream' : 'application/json';
    upstreams.get(dialect)!.script({ headers: { 'content-type': type }, body: pieces });
    const response = await gateway.request(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: `test/${dialect}`, stream, ...FACES[route].body }),
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    const events = stream ? FACES[route].read(text) : [];
    if (stream) expect(events.length).toBeGreaterThan(2);
    const [, tail = ''] = /gen-\d+-(\w{20})/.exec(text) ?? [];
    // Texts that came together are one event of `/responses`; its grammar proves that they add up to the last one.
    const read = stream && route === '/responses' ? JSON.stringify(events.at(-1)!.response) : text;
    return read
      .replaceAll(/gen-\d+-\w{20}/g, 'gen')
      .replaceAll(tail, 'tail')
      .replaceAll(/_at":\d+/g, '_at":0')
      .replaceAll(/^:.*\n\n/gm, '');
  }

  it.each(CASES)('$route from $dialect/$file', async ({ file, path, ...from }) => {
    const stream = file.endsWith('.sse');
    const recording = readFileSync(path, 'utf8');
    const bytes = Buffer.byteLength(recording);
    const whole = await replyTo(from, cutBytes(recording, []), stream);

    expect(await replyTo(from, cutBytes(recording, 7), stream)).toBe(whole);
    const offsets = fc.uniqueArray(fc.integer({ min: 1, max: bytes - 1 }), { minLength: 1, maxLength: CUTS_MAX });
    await fc.assert(
      fc.asyncProperty(offsets, async (cuts) => {
        const sorted = cuts.toSorted((first, second) => first - second);
        expect(await replyTo(from, cutBytes(recording, sorted), stream)).toBe(whole);
      }),
      { seed: bytes, numRuns: RUNS_EACH, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false },
    );
  });

  it.each(CASES.filter(({ file }) => file.endsWith('.sse')))(
    '$route from $dialect/$file with other line ends, at other positions',
    async ({ path, ...from }) => {
      const recording = readFileSync(path, 'utf8');
      const whole = await replyTo(from, cutBytes(recording, []), true);
      for (const end of ['\r\n', '\r']) {
        const other = `: a comment${end}${end}${recording.replaceAll('\n', end)}`;
        expect(await replyTo(from, cutBytes(other, 11), true)).toBe(whole);
      }
    },
  );
});
