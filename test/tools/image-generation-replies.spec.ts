/**
 * Pictures in a model's own reply reach the caller on every face, whole and streamed, are charged by their price, and
 * are sent back in the next turn to any model. A strict double of each dialect that returns pictures, and the sandbox.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { DoubleReply } from '../support/doubles/double.js';
import type { JsonBody } from '../support/recorded-request.js';
import { drawPicture } from '../../src/providers/dialects/simulated/picture.js';
import { ImageBench, PAINTER_IDS, type Painter } from './image-bench.js';

const PICTURE = drawPicture('one');
const ANOTHER = drawPicture('another');
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } };
const URL_OF = (data: string): string => `data:image/png;base64,${data}`;
const REPLY: DoubleReply = {
  parts: [
    { type: 'text', text: 'Two boats.' },
    { type: 'image', data: PICTURE },
    { type: 'image', data: ANOTHER },
  ],
  usage: { input: 12, cached: 0, output: 600, reasoning: 0, images: 516 },
};
const REPORTS_FIGURE: ReadonlySet<Painter> = new Set(['google-gemini', 'openai-chat', 'openai-responses']);
const costOf = (dialect: Painter): number => {
  const images = REPORTS_FIGURE.has(dialect) ? 516 : 0;
  return (12 * 3 + (600 - images) * 15 + images * 60) / 1e6;
};
const FACES = ['messages', 'chat', 'responses'] as const;
type Face = (typeof FACES)[number];
const ASK = { role: 'user', content: 'Draw two boats.' };

describeOnEmbedded('replies with pictures', (database) => {
  let bench: ImageBench;
  beforeAll(async () => {
    bench = await ImageBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  describe.each(PAINTER_IDS)('of %s', (dialect) => {
    const model = `draw/${dialect}`;
    beforeEach(() => {
      const host = bench.hostOf(dialect);
      host.violations.length = 0;
      host.script(REPLY);
    });
    afterEach(() => expect(bench.hostOf(dialect).violations).toEqual([]));

    describe.each([false, true])('stream %s', (stream) => {
      it('are returned as blocks by Messages', async () => {
        const reply = await bench.messages({ model, messages: [ASK], stream });
        const shown = reply.content.filter(({ type }: JsonBody) => type !== 'redacted_thinking');
        expect(shown).toEqual([
          { type: 'text', text: 'Two boats.', citations: [] },
          IMAGE,
          { ...IMAGE, source: { ...IMAGE.source, data: ANOTHER } },
        ]);
        expect(reply.usage).toMatchObject({ input_tokens: 12, output_tokens: 600 });
        expect(reply.usage.cost).toBeCloseTo(costOf(dialect), 12);
      });

      it('are returned as images by chat completions', async () => {
        const message = await bench.chat({ model, messages: [ASK], stream });
        expect(message).toMatchObject({
          role: 'assistant',
          content: 'Two boats.',
          images: [PICTURE, ANOTHER].map((data, index) => ({
            type: 'image_url',
            index,
            image_url: { url: URL_OF(data) },
          })),
        });
        expect(message.usage.cost).toBeCloseTo(costOf(dialect), 12);
      });

      it('are returned as items by responses', async () => {
        const response = await bench.responses({ model, input: [ASK], stream });
        const shown = response.output.filter(({ type }: JsonBody) => type !== 'reasoning');
        const drawn = { type: 'image_generation_call', id: expect.stringMatching(/^ig_/), status: 'completed' };
        expect(shown).toEqual([
          expect.objectContaining({ type: 'message', content: [expect.objectContaining({ text: 'Two boats.' })] }),
          { ...drawn, result: PICTURE },
          { ...drawn, result: ANOTHER },
        ]);
        expect(response.usage).toMatchObject({ input_tokens: 12, output_tokens: 600 });
        expect(response.usage.cost).toBeCloseTo(costOf(dialect), 12);
      });

      it.each(FACES)('are sent back in the next turn, by %s', async (face) => {
        const turns = await replyTurns(face, { model, turns: [ASK], stream });
        await send(face, { model, turns: [ASK, ...turns, { role: 'user', content: 'Bigger.' }], stream });
        const sent = JSON.stringify(bench.sent(dialect).at(-1));
        // Each once, wherever the format puts it.
        expect(sent.split(PICTURE)).toHaveLength(2);
        expect(sent.split(ANOTHER)).toHaveLength(2);
      });
    });

    it('arrive whole in any chunks of their stream', async () => {
      const host = bench.hostOf(dialect);
      host.transmission = { bytesPerPiece: 97 };
      try {
        const { content } = await bench.messages({ model, messages: [ASK], stream: true });
        expect(content.filter(({ type }: JsonBody) => type === 'image')[0]).toEqual(IMAGE);
      } finally {
        host.transmission = {};
      }
    });

    it('are not requested where only text is wanted', async () => {
      const message = await bench.chat({ model, messages: [ASK], modalities: ['text'] });
      // A model of this dialect cannot be requested to send only text.
      if (dialect !== 'bedrock-converse') expect(message).not.toHaveProperty('images');
      expect(message.content).toBe('Two boats.');
    });

    it('can be requested alone', async () => {
      const message = await bench.chat({ model, messages: [ASK], modalities: ['image'] });
      expect(message.images).toHaveLength(2);
      const { output } = await bench.responses({ model, input: [ASK], modalities: ['image'] });
      expect(output.filter(({ type }: JsonBody) => type === 'image_generation_call')).toHaveLength(2);
    });
  });

  interface Conversation {
    readonly model: string;
    readonly turns: readonly object[];
    readonly stream?: boolean;
  }
  const send = (face: Face, { turns, ...body }: Conversation): Promise<JsonBody> =>
    face === 'responses'
      ? bench.responses({ ...body, input: turns, include: ['reasoning.encrypted_content'] })
      : bench[face]({ ...body, messages: turns });

  /** The turn, or its items, as a client sends them back. */
  async function replyTurns(face: Face, body: Conversation): Promise<JsonBody[]> {
    const { usage: _usage, ...turn } = await send(face, body);
    if (face === 'responses') return turn.output;
    return [face === 'chat' ? turn : { role: turn.role, content: turn.content }];
  }

  it('sends the signature of a picture back with the same picture', async () => {
    const host = bench.hostOf('google-gemini');
    host.script(REPLY);
    const model = 'draw/google-gemini';
    for (const face of FACES) {
      const turns = await replyTurns(face, { model, turns: [ASK], stream: true });
      await send(face, { model, turns: [ASK, ...turns, { role: 'user', content: 'Bigger.' }] });
      const [, { parts }] = bench.sent('google-gemini').at(-1).contents;
      const signed = parts.filter(({ inlineData }: JsonBody) => inlineData);
      expect(signed.map(({ thoughtSignature }: JsonBody) => thoughtSignature)).toEqual([
        expect.any(String),
        expect.any(String),
      ]);
      expect(signed[0].thoughtSignature).not.toBe(signed[1].thoughtSignature);
    }
    expect(host.violations).toEqual([]);
  });

  it('replaces a picture by a placeholder for a model that reads none', async () => {
    bench.hostOf('openai-chat').script({ parts: [{ type: 'text', text: 'A boat?' }] });
    for (const face of FACES) {
      const turns = await replyTurns(face, { model: 'sandbox/image', turns: [ASK], stream: false });
      const reply = await send(face, {
        model: 'draw/blind',
        turns: [ASK, ...turns, { role: 'user', content: 'What is it?' }],
      });
      expect(reply.error ?? null).toBeNull();
      const sent = JSON.stringify(bench.sent('openai-chat').at(-1));
      expect(sent).toContain('Here it is.\\n\\n[Image]');
      expect(sent).not.toContain('base64');
    }
  });

  it.each([false, true])('sandbox/image draws as its prompt determines (stream %s)', async (stream) => {
    const body = { model: 'sandbox/image', messages: [ASK], stream };
    const data = drawPicture(ASK.content);
    const reply = await bench.messages(body);
    expect(reply.content).toMatchObject([{ text: 'Here it is.' }, { type: 'image', source: { data } }]);
    expect(reply.usage.output_tokens).toBe(3 + 256);
    const message = await bench.chat(body);
    expect(message).toMatchObject({ content: 'Here it is.', images: [{ image_url: { url: URL_OF(data) } }] });
    const { output } = await bench.responses({ model: 'sandbox/image', input: [ASK], stream });
    expect(output).toMatchObject([{ content: [{ text: 'Here it is.' }] }, { result: data }]);
  });

  it('finds no model that draws where the model returns only text', async () => {
    const reply = await bench.chat({ model: 'sandbox/echo', messages: [ASK], modalities: ['image', 'text'] });
    expect(reply).toMatchObject({ status: 404, error: { message: expect.stringContaining('image output') } });
  });

  it('ends a stream whose picture is larger than a frame may be, in-band', async () => {
    const data = Buffer.alloc(13 * 1024 * 1024).toString('base64');
    bench.hostOf('google-gemini').script({
      parts: [
        { type: 'text', text: 'Large.' },
        { type: 'image', data },
      ],
    });
    const body = { model: 'draw/google-gemini', max_tokens: 1_000, messages: [ASK] };
    const response = await bench.gateway.messages({ ...body, stream: true });
    const text = await response.text();
    expect(text).toContain('event: error');
    expect(text.length).toBeLessThan(10_000);
    const failed = await bench.responses({ model: body.model, input: [ASK], stream: true });
    expect(failed).toMatchObject({ status: 'failed', output: [], error: { code: 'server_error' } });
    const whole = await bench.messages(body);
    expect(whole.content.at(-1).source.data).toHaveLength(data.length);
    await bench.ledger.rest();
    expect(await bench.ledger.openHolds()).toBe(0);
  });
});
