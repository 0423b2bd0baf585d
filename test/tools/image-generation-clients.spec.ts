/**
 * Real clients read replies with pictures, whole and streamed, and continue the conversation. The sandbox model that
 * draws, and the one that calls all offered tools.
 */
import Anthropic from '@anthropic-ai/sdk';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { drawPicture } from '../../src/providers/dialects/simulated/picture.js';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const ASK = 'Draw a boat.';
const DATA = drawPicture(ASK);
const OF_TOOL = drawPicture('sample');
const TOOL = { type: 'openrouter:image_generation' };

describeOnEmbedded('clients and pictures', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  describe.each([false, true])('streamed %s', (streamed) => {
    it('@anthropic-ai/sdk', async () => {
      const client = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.origin}/api` });
      const ask = (model: string, messages: Anthropic.MessageParam[], tools: object[] = []): Promise<JsonBody> => {
        const body = { model, max_tokens: 500, messages, ...(tools.length > 0 && { tools: tools as never[] }) };
        return streamed ? client.messages.stream(body).finalMessage() : client.messages.create(body);
      };
      const first = await ask('sandbox/image', [{ role: 'user', content: ASK }]);
      expect(first.content[1]).toEqual({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: DATA },
      });
      const next = await ask('sandbox/echo', [
        { role: 'user', content: ASK },
        { role: 'assistant', content: first.content },
        { role: 'user', content: 'Thanks.' },
      ]);
      expect(next.content).toMatchObject([{ text: 'Thanks.' }]);
      const { content } = await ask('sandbox/tools', [{ role: 'user', content: ASK }], [TOOL]);
      expect(content[1].content).toEqual({ status: 'ok', imageUrl: `data:image/png;base64,${OF_TOOL}` });
    });

    it('openai', async () => {
      const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1` });
      const messages = [{ role: 'user' as const, content: ASK }];
      const images: JsonBody[] = [];
      if (streamed) {
        const chunks = await client.chat.completions.create({ model: 'sandbox/image', messages, stream: true });
        for await (const chunk of chunks) images.push(...((chunk as JsonBody).choices[0]?.delta.images ?? []));
      } else {
        const { choices } = await client.chat.completions.create({ model: 'sandbox/image', messages });
        images.push(...(choices[0]!.message as JsonBody).images);
      }
      expect(images).toMatchObject([{ image_url: { url: `data:image/png;base64,${DATA}` } }]);
    });

    it.each([
      ['a model that draws', 'sandbox/image', DATA, undefined],
      ['a tool that draws', 'sandbox/tools', OF_TOOL, [TOOL]],
    ])('@openrouter/ai-sdk-provider: %s', async (_, name, data, tools) => {
      const openrouter = createOpenRouter({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1` });
      const request = { model: openrouter(name, { ...(tools && { extraBody: { tools } }) }), prompt: ASK };
      const result = streamed ? streamText(request) : await generateText(request);
      const files = await result.files;
      expect(files.map(({ mediaType, base64 }) => [mediaType, base64])).toEqual([['image/png', data]]);
    });
  });
});
