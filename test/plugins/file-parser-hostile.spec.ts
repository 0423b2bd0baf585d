/**
 * A PDF that is made to waste resources ends in bounded time, as text or as a 400 that names its path, while the
 * process serves other requests; 60 pages block the event loop for less than 20 ms at a time. Malicious PDFs of every
 * kind, with the delays of the event loop measured beside them.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fastest } from '../support/cpu-time.js';
import { describeOnEmbedded } from '../support/database.js';
import { paged } from '../support/engines/ocr-engine.js';
import { HOSTILE_PDF } from '../support/hostile-pages.js';
import type { JsonBody } from '../support/recorded-request.js';
import { LoopBench, answers } from '../tools/faults-bench.js';

const DELAY_MS_MAX = 20;

const KINDS: Readonly<Record<string, RegExp>> = {
  // The time limit is that of a machine with other work.
  '10,000 pages': /^(?:200 .*Page 1 of 10000.*of 10000 left out|400 .*took too long)/,
  'a page that unpacks to 2 GB': /^(?:200 .*without any text|400 )/,
  'a page packed twice': /^(?:200 .*without any text|400 )/,
  'a million commands': /^(?:200 |400 )/,
  'pages that hold themselves': /^(?:200 .*without any text|400 )/,
  'arrays in arrays': /^(?:200 |400 )/,
  '8 MB of nonsense': /^400 messages\.0\.content\.0: /,
};

describeOnEmbedded('hostile PDFs', (database) => {
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    bench = await LoopBench.start(database, {
      models: [{ id: 'test/words', model: { input_modalities: ['text'] } }],
    });
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin(answers('I see.')));

  const send = async (bytes: Buffer): Promise<JsonBody> => {
    const source = { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') };
    const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
    return bench.ask('/messages', { model: 'test/words', tools: undefined, messages }, key);
  };

  it.each(Object.entries(HOSTILE_PDF))(
    '%s',
    async (kind, make) => {
      const slow = send(make());
      const beside = await bench.ask('/messages', { tools: undefined }, key);
      expect(beside.status).toBe(200);
      const reply = await slow;
      const [sent] = bench.upstreams.adviser.requests;
      const outcome = reply.status === 200 ? JSON.stringify(sent!.json.messages) : reply.body.error.message;
      expect(`${reply.status} ${outcome}`).toMatch(KINDS[kind]!);
    },
    240_000,
  );

  it('reads 60 pages without blocking the event loop', async () => {
    const line = 'words of a page that is full of them '.repeat(2);
    const book = paged(...Array.from({ length: 60 }, (_, page) => `${page} ${line}`));
    await send(book);
    const delays = monitorEventLoopDelay({ resolution: 1 });
    let run = 0;
    const longestDelay = async (): Promise<number> => {
      delays.reset();
      delays.enable();
      expect((await send(Buffer.concat([book, Buffer.from(`% ${run++}`)]))).status).toBe(200);
      delays.disable();
      return delays.max / 1e6;
    };
    expect(await fastest(longestDelay, DELAY_MS_MAX)).toBeLessThan(DELAY_MS_MAX);
  }, 240_000);
});
