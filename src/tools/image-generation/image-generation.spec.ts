// The caller receives the image of a catalogue model, and the calling model learns the outcome. Replies are made up.
import { extensionContext, openSeal } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, model } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import type { MediaSource } from '../../core/conversation/content.js';
import type { BlockStart, ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import type { GatewayRunTool } from '../../core/tool.js';
import { imageGeneration } from './image-generation.js';

const PAINTER = model('acme/painter', [], { outputModalities: ['image'] });
const offer = (parameters: JsonObject = {}): GatewayRunTool =>
  imageGeneration.offer(
    { type: 'openrouter:image_generation', parameters, path: 'tools.0' },
    {
      catalog: { ...catalogOf(), tools: { imageGeneration: { model: 'acme/painter' } } },
      modelOf: (name) => (name === 'acme/painter' ? PAINTER : model(name as string, [])),
    },
  ) as GatewayRunTool;

function replying(...blocks: BlockStart[]): AsyncIterable<readonly ModelEvent[]> {
  const events: ModelEvent[] = [
    { type: 'reply-start' },
    ...blocks.flatMap((block, index): ModelEvent[] => [
      { type: 'block-start', index, block },
      { type: 'block-end', index },
    ]),
    { type: 'usage', usage: {} },
    { type: 'reply-end', stop: { unified: 'end-turn', raw: null, vendor: 'openai' } },
  ];
  return (async function* () {
    yield await Promise.resolve(events);
  })();
}
const picture = (data: string): MediaSource => ({ type: 'base64', mediaType: 'image/png', data });

it.each<[string, MediaSource, string]>([
  ['bytes', picture('AAAA'), 'data:image/png;base64,AAAA'],
  ['an address', { type: 'url', url: 'https://cdn.test/a.png' }, 'https://cdn.test/a.png'],
])('returns the first picture of a reply, given by %s', async (_, source, imageUrl) => {
  let sent: ModelRequest | undefined;
  const context = extensionContext({
    request: modelRequest({ user: 'u', preferences: { only: ['acme'], order: ['x'], zeroDataRetention: true } }),
    infer: (request) => {
      sent = request;
      const second = { type: 'image', source: picture('BBBB') } as const;
      return Promise.resolve(replying({ type: 'text' }, { type: 'image', source }, second));
    },
  });
  const result = await offer({ quality: 'high' }).run({ prompt: 'a boat' }, { context, number: 1 });
  expect(result).toMatchObject({ content: { status: 'ok', imageUrl }, image: source, isError: false });
  expect(result.text).toBe('{"status":"ok"}');
  expect(imageGeneration.recall(result.content, openSeal)).toBe(result.text);
  expect(sent).toMatchObject({
    model: 'acme/painter',
    user: 'u',
    preferences: { only: ['acme'], zeroDataRetention: true },
    modalities: ['image'],
    imageConfig: { quality: 'high' },
  });
  expect(sent!.preferences).not.toHaveProperty('order');
});

const HEAD = 'data:image/png;base64,'.length;
const LENGTH_MAX = 16 * 1024 * 1024;

it.each([
  ['at the bound', 0, false],
  ['past it', 1, true],
])('takes an image %s', async (_, more, isError) => {
  const image = { type: 'image', source: picture('A'.repeat(LENGTH_MAX - HEAD + more)) } as const;
  const context = extensionContext({ infer: () => Promise.resolve(replying(image)) });
  const result = await offer().run({ prompt: 'x' }, { context, number: 1 });
  expect(result).toMatchObject({ isError, content: { status: isError ? 'error' : 'ok' } });
});

it.each([
  ['draws nothing', () => Promise.resolve(replying()), 'The model drew nothing.'],
  ['is refused', () => Promise.reject(new GatewayError('payment-required', 'no room')), 'no room'],
  ['has no place', () => Promise.reject(new GatewayError('rate-limited', 'too many')), 'too_many_requests'],
])('reports a model that %s', async (_, infer, error) => {
  const result = await offer().run({ prompt: 'x' }, { context: extensionContext({ infer }), number: 1 });
  expect(result).toMatchObject({ content: { status: 'error', error }, isError: true });
});

it('ends with its generation', async () => {
  const abort = new Cancellation();
  abort.abort(new CallerGone());
  const context = extensionContext({ signal: abort.signal, infer: () => Promise.reject(new CallerGone()) });
  await expect(offer().run({ prompt: 'x' }, { context, number: 1 })).rejects.toThrow(CallerGone);
});

it('refuses a model that makes no images, by name', () => {
  expect(() => offer({ model: 'acme/writer' })).toThrow(
    'tools.0.parameters.model: acme/writer makes no images; name a model of /models that does',
  );
});

it("plans its call, with the caller's preferences", () => {
  const planned = offer().consults?.(modelRequest({ preferences: { only: ['acme'] } }));
  expect(planned).toMatchObject({ model: 'acme/painter', modalities: ['image'], preferences: { only: ['acme'] } });
});
