/**
 * `openrouter:image_generation` returns an image to the caller and its outcome to the model, whole and streamed, on
 * both faces, by the sandbox and by every dialect that returns pictures, with exact costs; every failure of the image
 * becomes a result. Models of the sandbox call the tool, with strict doubles of those dialects and models that fail.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describeOnEmbedded } from '../support/database.js';
import type { DoubleUsage } from '../support/doubles/double.js';
import type { DoubleAnswer } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';
import { BEHAVIOURS, type Behaviour } from '../../src/providers/dialects/simulated/behaviours.js';
import { drawPicture } from '../../src/providers/dialects/simulated/picture.js';
import { ImageBench, PAINTER_IDS, PRICES, type Painter } from './image-bench.js';

const PICTURE = drawPicture('a picture of the test');
const URL_OF = (data: string): string => `data:image/png;base64,${data}`;
const USAGE: DoubleUsage = { input: 12, cached: 0, output: 300, reasoning: 0, images: 258 };
const DRAWS: DoubleAnswer = {
  parts: [
    { type: 'text', text: 'Here.' },
    { type: 'image', data: PICTURE },
  ],
  usage: USAGE,
};
/** Dialects that report the image tokens of the output. */
const REPORTS_FIGURE: ReadonlySet<Painter> = new Set(['google-gemini', 'openai-chat', 'openai-responses']);

/** USD. */
const costOf = (dialect: Painter): number => {
  const images = REPORTS_FIGURE.has(dialect) ? 258 : 0;
  const { prompt, completion, image_output } = PRICES;
  return (12 * Number(prompt) + (300 - images) * Number(completion) + images * Number(image_output)) / 1e6;
};

const DREW = 'The tool answered: {"status":"ok"}';
const tool = (parameters: object = {}): object => ({ type: 'openrouter:image_generation', parameters });
const ask = (
  stream: boolean,
  parameters: object = {},
): { readonly stream: boolean; readonly [key: string]: unknown } => ({
  model: 'sandbox/tools',
  messages: [{ role: 'user', content: 'Draw a boat.' }],
  tools: [tool(parameters)],
  stream,
});

/** The sandbox's own charge, by its iterations: 1 and 2 USD per million tokens. */
const sandboxCost = ({ iterations }: JsonBody): number =>
  iterations
    .filter(({ type }: JsonBody) => type === 'message')
    .reduce((sum: number, { input_tokens, output_tokens }: JsonBody) => sum + input_tokens + 2 * output_tokens, 0) /
  1e6;

describeOnEmbedded('image generation', (database) => {
  let bench: ImageBench;
  beforeAll(async () => {
    bench = await ImageBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  describe.each([false, true])('stream %s', (stream) => {
    it('needs no account: a sandbox model calls it, and a sandbox model generates the image', async () => {
      const imageUrl = URL_OF(drawPicture('sample'));
      const reply = await bench.messages(ask(stream));
      expect(reply).toMatchObject({
        stop_reason: 'end_turn',
        content: [
          { type: 'server_tool_use', name: 'generate_image', input: { prompt: 'sample' } },
          { type: 'openrouter_image_generation_tool_result', content: { status: 'ok', imageUrl } },
          { type: 'text', text: DREW },
        ],
      });
      expect(reply.content[1].tool_use_id).toBe(reply.content[0].id);
      const message = await bench.chat(ask(stream));
      expect(message).toMatchObject({ content: DREW, images: [{ type: 'image_url', image_url: { url: imageUrl } }] });
      expect(message).not.toHaveProperty('tool_calls');
    });

    it.each(PAINTER_IDS)('shows what a model of %s draws', async (dialect) => {
      const host = bench.hostOf(dialect);
      const from = host.calls.length;
      host.script(DRAWS);
      const parameters = { model: `draw/${dialect}`, quality: 'high', aspect_ratio: '16:9' };
      const reply = await bench.messages(ask(stream, parameters));
      expect(reply.content).toMatchObject([
        { type: 'server_tool_use' },
        { type: 'openrouter_image_generation_tool_result', content: { status: 'ok', imageUrl: URL_OF(PICTURE) } },
        { type: 'text', text: DREW },
      ]);
      const { usage, id } = reply;
      expect(usage.iterations).toMatchObject([
        { type: 'message', model: 'sandbox/tools' },
        {
          type: 'advisor_message',
          purpose: 'image_generation',
          model: `draw/${dialect}`,
          input_tokens: 12,
          output_tokens: 300,
        },
        { type: 'message', model: 'sandbox/tools' },
      ]);
      // The tokens are those of the answering model; the cost is of all.
      expect(usage.output_tokens).toBe(usage.iterations[0].output_tokens + usage.iterations[2].output_tokens);
      expect(usage.cost).toBeCloseTo(sandboxCost(usage) + costOf(dialect), 12);
      const { upstream_inference_prompt_cost: prompt, upstream_inference_completions_cost: completion } =
        usage.cost_details;
      expect(prompt + completion).toBeCloseTo(usage.cost, 12);
      await bench.ledger.rest();
      expect((await bench.generation(id)).total_cost).toBeCloseTo(usage.cost, 12);
      expect(await bench.ledger.openHolds()).toBe(0);

      const message = await bench.chat(ask(stream, parameters));
      expect(message).toMatchObject({ content: DREW, images: [{ image_url: { url: URL_OF(PICTURE) } }] });
      expect(host.violations).toEqual([]);
      expect(host.calls.slice(from)).toHaveLength(2);
    });

    it.each([
      ['words alone', 'draw/echo', 'The model drew nothing.'],
      ['a refusal', 'draw/refusal', 'The model drew nothing.'],
      ['an overload', 'draw/overloaded', expect.any(String)],
      ['half a reply', 'draw/cut', expect.any(String)],
      ['no reply', 'draw/malformed', expect.any(String)],
    ])('reports %s to the model, and continues', async (_, model, error) => {
      const reply = await bench.messages(ask(stream, { model }));
      expect(reply.content).toMatchObject([
        { type: 'server_tool_use' },
        { content: { status: 'error', error } },
        { type: 'text', text: expect.stringContaining('"status":"error"') },
      ]);
      await bench.ledger.rest();
      expect((await bench.generation(reply.id)).total_cost).toBeCloseTo(reply.usage.cost, 12);
      expect(await bench.ledger.openHolds()).toBe(0);
      const message = await bench.chat(ask(stream, { model }));
      expect(message.content).toContain('"status":"error"');
      expect(message).not.toHaveProperty('images');
    });

    it('reports to the model that the image costs more than is left, and calls it no further', async () => {
      // Enough for two calls of a short prompt, but not for an image of a model whose whole context may be used.
      const { key } = await bench.gateway.newKey({ limit: 0.05 });
      const from = bench.sent('google-gemini').length;
      const reply = await bench.messages(ask(stream, { model: 'draw/google-gemini' }), { key });
      const error = 'Credits or limits do not cover what this model would cost.';
      expect(reply.content[1].content).toEqual({ status: 'error', error });
      expect(bench.sent('google-gemini', from)).toEqual([]);
      await bench.ledger.rest();
      expect(await bench.ledger.openHolds()).toBe(0);
    });
  });

  it('sends each dialect the image parameters that it takes', async () => {
    const parameters = { quality: 'high', aspect_ratio: '16:9', size: '1024x1024' };
    const sent = async (dialect: Painter): Promise<JsonBody> => {
      bench.hostOf(dialect).script(DRAWS);
      await bench.messages(ask(false, { model: `draw/${dialect}`, ...parameters }));
      return bench.sent(dialect).at(-1);
    };
    expect(await sent('google-gemini')).toMatchObject({
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9' } },
    });
    expect(await sent('openai-chat')).toMatchObject({ modalities: ['image'], image_config: parameters });
    expect(await sent('openai-responses')).toMatchObject({
      tools: [{ type: 'image_generation', quality: 'high', size: '1024x1024' }],
      tool_choice: { type: 'image_generation' },
    });
    expect(JSON.stringify(await sent('bedrock-converse'))).not.toContain('high');
  });

  it('refuses an image past 16 MiB, and shows one below', async () => {
    const drawn = (bytes: number): DoubleAnswer => ({
      parts: [{ type: 'image', data: Buffer.alloc(bytes).toString('base64') }],
      usage: USAGE,
    });
    const host = bench.hostOf('google-gemini');
    const contents = [];
    for (const bytes of [12_582_000, 12_583_000]) {
      host.script(drawn(bytes));
      const { content } = await bench.messages(ask(false, { model: 'draw/google-gemini' }));
      contents.push(content[1].content);
    }
    expect(contents[0]).toMatchObject({ status: 'ok' });
    expect(contents[1]).toEqual({ status: 'error', error: 'The image is too large.' });
  });

  it.each([
    ['of words', 'sandbox/echo', 'sandbox/echo makes no images'],
    ['that is unknown', 'draw/nobody', '"draw/nobody" is not in the catalog'],
  ])('refuses a model %s by name, before anything is called', async (_, model, words) => {
    const body = { status: 400, error: { message: expect.stringContaining(words) } };
    expect(await bench.messages(ask(false, { model }))).toMatchObject(body);
    expect(await bench.chat(ask(false, { model }))).toMatchObject(body);
  });

  it.each([false, true])(
    "has the shipped model draw where the caller's model is not of the sandbox: stream %s",
    async (stream) => {
      const callsTool: DoubleAnswer = {
        parts: [{ type: 'call', id: 'call_1', name: 'generate_image', input: { prompt: 'a boat' } }],
      };
      // The drawing model's endpoint has a separate dialect.
      bench.hostOf('openai-chat').script(({ dialect }, index) => {
        if (dialect === 'openai-responses') return { ...DRAWS, usage: { ...USAGE, drawingInput: 50 } };
        return index === 0 ? callsTool : { parts: [{ type: 'text', text: 'Drawn.' }] };
      });
      const reply = await bench.messages({ ...ask(stream), model: 'draw/blind' });
      expect(reply.content).toMatchObject([
        { type: 'server_tool_use' },
        { content: { status: 'ok', imageUrl: URL_OF(PICTURE) } },
        { type: 'text', text: 'Drawn.' },
      ]);
      expect(bench.sent('openai-responses').at(-2)).toMatchObject({
        model: 'gpt-5',
        tools: [{ type: 'image_generation' }],
        tool_choice: { type: 'image_generation' },
      });
      const { usage, id } = reply;
      expect(usage.iterations[1]).toMatchObject({
        purpose: 'image_generation',
        model: 'openai/gpt-5-image',
        input_tokens: 12 + 50,
        output_tokens: 300,
      });
      const calling = 2 * (12 * Number(PRICES.prompt) + 7 * Number(PRICES.completion));
      // By the shipped prices: 10, 10, and 40 for the image.
      const drawing = (12 + 50) * 10 + (300 - 258) * 10 + 258 * 40;
      expect(usage.cost).toBeCloseTo((calling + drawing) / 1e6, 12);
      await bench.ledger.rest();
      expect((await bench.generation(id)).total_cost).toBeCloseTo(usage.cost, 12);
      expect(await bench.ledger.openHolds()).toBe(0);
    },
  );

  it('reports the missing credential to the model, and calls nothing', async () => {
    const from = bench.hostOf('google-gemini').calls.length;
    const reply = await bench.messages(ask(false, { model: 'draw/unpaid' }));
    const error = expect.stringContaining('No endpoint of draw/unpaid is left');
    expect(reply.content[1].content).toEqual({ status: 'error', error });
    expect(reply.content[1].content.error).toContain('IMAGE_BENCH_API_KEY is not set');
    expect(bench.hostOf('google-gemini').calls).toHaveLength(from);
  });

  it('ends with its caller: the image is abandoned, its money settled', async () => {
    const abort = new AbortController();
    const silent = jest.spyOn(BEHAVIOURS as { silent: Behaviour }, 'silent');
    const response = await bench.gateway.messages(
      { max_tokens: 100, ...ask(true, { model: 'draw/silent' }) },
      { signal: abort.signal },
    );
    const reader = response.body!.getReader();
    await reader.read();
    while (silent.mock.calls.length === 0) await pause(5);
    silent.mockRestore();
    abort.abort();
    await reader.read().catch(() => undefined);
    await bench.ledger.rest();
    expect(await bench.ledger.openHolds()).toBe(0);
    expect(await bench.ledger.latest()).toMatchObject({
      outcome: 'caller-gone',
      attempts: [{ status: 200 }, { model: 'draw/silent', status: 499 }],
    });
  });

  it('is reduced to its status in a later turn', async () => {
    const first = await bench.messages(ask(false));
    const later = await bench.messages({
      ...ask(false),
      tools: [],
      model: 'sandbox/echo',
      messages: [
        { role: 'user', content: 'Draw a boat.' },
        { role: 'assistant', content: first.content },
        { role: 'user', content: 'Thanks.' },
      ],
    });
    expect(later.content).toMatchObject([{ text: 'Thanks.' }]);
    const message = await bench.chat(ask(false));
    const { usage: _usage, ...turn } = message;
    const chatted = await bench.chat({
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'Draw.' }, turn, { role: 'user', content: 'Thanks.' }],
    });
    expect(chatted.content).toBe('Thanks.');
  });
});
