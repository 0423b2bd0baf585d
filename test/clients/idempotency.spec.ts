/**
 * The vendors' own clients with `Idempotency-Key`: their retries after a broken connection, and a stream that is cut
 * and requested again, are one call and one charge; so are embeddings, also after a refusal by their provider. `openai`
 * and `@anthropic-ai/sdk` before a proxy that breaks connections, and the real application.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { json, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { after, delta, END, gate, MessagesBench, OPEN } from '../http/messages-bench.js';
import { costOf, replyOf, taskEntries } from '../http/once-faces.js';

/** In millionths of a USD, at 3 and 15 USD for a million tokens: of 12 and 7, and of 3 and 5. */
const COST = { whole: 141, cut: 84 };
const MESSAGES = [{ role: 'user' as const, content: 'Hi' }];

/** Runs requests to the end of their settlement. @returns their charges in millionths of a USD */
async function chargesOf(gateway: TestGateway, work: () => Promise<unknown>): Promise<number[]> {
  const ledger = new LedgerReader(gateway);
  const charges = async (): Promise<number[]> => {
    await ledger.rest();
    const rows = await ledger.query(`select amount from ledger_entries order by entered_at, generation_id, kind`);
    return rows.map(({ amount }: { amount: string }) => Math.round(Number(amount) * 1e6));
  };
  const before = await charges();
  await work();
  return (await charges()).slice(before.length);
}

function openaiAt(proxy: TcpProxy): OpenAI {
  const client = new OpenAI({ apiKey: API_KEY, baseURL: `${proxy.url}api/v1`, maxRetries: 5 });
  // A setting of the SDK: the name of the header that each request and its retries have.
  (client as unknown as { idempotencyHeader: string }).idempotencyHeader = 'Idempotency-Key';
  return client;
}

describeOnEmbedded('clients that repeat requests', (database) => {
  let bench: MessagesBench;
  let proxy: TcpProxy;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
    proxy = new TcpProxy(bench.gateway.origin);
    await proxy.start();
  }, 240_000);
  afterAll(async () => {
    await proxy?.stop();
    await bench?.close();
  });

  /** Runs a request and its repetition. @returns the calls that it made, and its charges in millionths of a USD */
  async function costsOf(work: () => Promise<unknown>): Promise<{ calls: number; charges: number[] }> {
    const before = bench.anthropic.requests.length;
    const charges = await chargesOf(bench.gateway, work);
    return { calls: bench.anthropic.requests.length - before, charges };
  }

  /** Asks for text, the connection broken as soon as the upstream has the request. */
  async function throughABreak(request: () => Promise<string>): Promise<string> {
    const before = bench.anthropic.requests.length;
    const held = gate();
    bench.anthropic.script(after(held.opened, anthropicText('Said once.')));
    let result = '';
    const costs = await costsOf(async () => {
      const text = request();
      await bench.anthropic.request(before);
      await proxy.stop();
      await proxy.start();
      held.open();
      result = await text;
    });
    expect(costs).toEqual({ calls: 1, charges: [COST.whole] });
    return result;
  }

  const openai = (): OpenAI => openaiAt(proxy);
  const anthropic = (): Anthropic => new Anthropic({ apiKey: API_KEY, baseURL: `${proxy.url}api`, maxRetries: 5 });

  it('openai retries by itself', async () => {
    const client = openai();
    const model = 'test/native';
    expect(
      await throughABreak(async () => {
        const { choices } = await client.chat.completions.create({ model, messages: MESSAGES });
        return choices[0]!.message.content!;
      }),
    ).toBe('Said once.');
    expect(
      await throughABreak(async () => {
        let text = '';
        for await (const chunk of await client.chat.completions.create({ model, messages: MESSAGES, stream: true }))
          text += chunk.choices[0]?.delta.content ?? '';
        return text;
      }),
    ).toBe('Said once.');
    expect(await throughABreak(async () => (await client.responses.create({ model, input: 'Hi' })).output_text)).toBe(
      'Said once.',
    );
    expect(
      await throughABreak(
        async () => (await client.responses.stream({ model, input: 'Hi' }).finalResponse()).output_text,
      ),
    ).toBe('Said once.');
  });

  it('@anthropic-ai/sdk retries by itself', async () => {
    const client = anthropic();
    const body = { model: 'test/native', max_tokens: 100, messages: MESSAGES };
    const texts = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
      content.map(({ text = '' }) => text).join('');
    expect(
      await throughABreak(async () =>
        texts((await client.messages.create(body, { headers: { 'Idempotency-Key': 'anthropic 1' } })).content),
      ),
    ).toBe('Said once.');
    expect(
      await throughABreak(async () => {
        const stream = client.messages.stream(body, { headers: { 'Idempotency-Key': 'anthropic 2' } });
        return texts((await stream.finalMessage()).content);
      }),
    ).toBe('Said once.');
  });

  const model = 'test/native';
  type Read = (key: string, onText: (text: string) => Promise<void>) => Promise<void>;
  const READERS: readonly [string, Read][] = [
    [
      'openai, chat completions',
      async (idempotencyKey, onText) => {
        const body = { model, messages: MESSAGES, stream: true as const };
        for await (const { choices } of await openai().chat.completions.create(body, { idempotencyKey }))
          await onText(choices[0]?.delta.content ?? '');
      },
    ],
    [
      'openai, responses',
      async (idempotencyKey, onText) => {
        const body = { model, input: 'Hi', stream: true as const };
        for await (const event of await openai().responses.create(body, { idempotencyKey }))
          if (event.type === 'response.output_text.delta') await onText(event.delta);
      },
    ],
    [
      '@anthropic-ai/sdk, messages',
      async (key, onText) => {
        const body = { model, max_tokens: 100, messages: MESSAGES, stream: true as const };
        // The SDK's own `idempotencyKey` has no effect: a header of the client is sent with each request and its
        // retries.
        const client = anthropic().withOptions({ defaultHeaders: { 'Idempotency-Key': key } });
        for await (const event of await client.messages.create(body))
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') await onText(event.delta.text);
      },
    ],
  ];

  it.each(READERS)('a stream that is cut in its middle is requested again, and is the same: %s', async (name, read) => {
    const held = gate();
    bench.anthropic.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
    const costs = await costsOf(async () => {
      let broken = false;
      const first = read(name, async (text) => {
        if (broken || text === '') return;
        broken = true;
        await proxy.stop();
        await proxy.start();
      });
      await expect(first).rejects.toThrow();
      held.open();
      let text = '';
      await read(name, async (more) => {
        text += more;
      });
      expect(text).toBe('one two');
    });
    expect(costs).toEqual({ calls: 1, charges: [COST.cut] });
  });
});

describeOnEmbedded('embeddings that openai repeats', (database) => {
  let gateway: TestGateway;
  let upstream: Upstream;
  let proxy: TcpProxy;
  beforeAll(async () => {
    upstream = await startUpstream('openai');
    upstream.strict = false;
    gateway = await startGateway(database, { catalog: catalogOf(...taskEntries(upstream.url)), coolsDown: false });
    proxy = new TcpProxy(gateway.origin);
    await proxy.start();
  }, 240_000);
  afterAll(async () => {
    await proxy?.stop();
    await gateway?.close();
    await upstream?.close();
  });

  const embed = async (idempotencyKey?: string): Promise<number[]> => {
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    const { data } = await openaiAt(proxy).embeddings.create({ model: 'test/vectors', input: 'Hello' }, options);
    return data[0]!.embedding;
  };
  const VECTOR = [0.5, -0.25];
  const COST = costOf('/embeddings');
  const reply = replyOf('/embeddings');
  const keptReplies = async (): Promise<number> =>
    (await new LedgerReader(gateway).query('select count(*)::int as count from kept_replies'))[0].count;

  it.each([['a key that it makes'], ['my key']])('after a broken connection, with %s', async (key) => {
    const [before, kept, held] = [upstream.requests.length, await keptReplies(), gate()];
    upstream.script(after(held.opened, reply));
    const charges = await chargesOf(gateway, async () => {
      const vector = embed(key === 'my key' ? key : undefined);
      await upstream.request(before);
      await proxy.stop();
      await proxy.start();
      held.open();
      expect(await vector).toEqual(VECTOR);
      // A program that starts again uses its key.
      if (key === 'my key') expect(await embed(key)).toEqual(VECTOR);
    });
    expect(charges).toEqual([COST]);
    expect(upstream.requests.length).toBe(before + 1);
    expect(await keptReplies()).toBe(kept + 1);
  });

  it.each([500, 503])('after a refusal with %i', async (status) => {
    const [before, kept] = [upstream.requests.length, await keptReplies()];
    const refusal = json({ error: { message: 'Not now.', type: 'server_error' } }, status);
    upstream.script((request, index) => (index === before ? refusal : reply(request, index)));
    const charges = await chargesOf(gateway, async () => expect(await embed()).toEqual(VECTOR));
    // The refused call is settled at nothing.
    expect(charges).toEqual([0, COST]);
    expect(upstream.requests.length).toBe(before + 2);
    expect(await keptReplies()).toBe(kept + 1);
  });
});
