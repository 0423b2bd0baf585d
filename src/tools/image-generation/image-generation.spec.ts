// Goal: an image of a model of the catalogue reaches the caller, and its fate the model that asked. Method: the tool
// with replies as each format's decoder tells them.
import { extensionContext, openSeal } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, model } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import type { JsonObject, Opaque, Vendor } from '../../core/json/json.js';
import type { ServedTool } from '../../core/tool.js';
import { imageGeneration } from './image-generation.js';

const PAINTER = model('acme/painter', [], { outputModalities: ['image'] });
const offer = (parameters: JsonObject = {}): ServedTool =>
  imageGeneration.offer(
    { type: 'openrouter:image_generation', parameters, path: 'tools.0' },
    {
      catalog: { ...catalogOf(), tools: { imageGeneration: { model: 'acme/painter' } } },
      modelOf: (name) => (name === 'acme/painter' ? PAINTER : model(name as string, [])),
    },
  ) as ServedTool;

function replying(...blocks: Opaque[]): AsyncIterable<readonly ModelEvent[]> {
  const events: ModelEvent[] = [
    { type: 'reply-start' },
    ...blocks.flatMap((opaque, index): ModelEvent[] => [
      { type: 'block-start', index, block: { type: 'opaque', opaque } },
      { type: 'block-end', index },
    ]),
    { type: 'usage', usage: {} },
    { type: 'reply-end', stop: { unified: 'end-turn', raw: null, vendor: 'openai' } },
  ];
  return (async function* () {
    yield await Promise.resolve(events);
  })();
}
const block = (vendor: Vendor, value: JsonObject): Opaque => ({ vendor, value });

it.each([
  ['Gemini', block('google', { inlineData: { mimeType: 'image/png', data: 'AAAA' } }), 'data:image/png;base64,AAAA'],
  ['responses', block('openai-responses', { type: 'image_generation_call', result: 'BBBB', output_format: 'webp' }), 'data:image/webp;base64,BBBB'],
  ['the sandbox', block('anthropic', { type: 'image', source: { media_type: 'image/png', data: 'CCCC' } }), 'data:image/png;base64,CCCC'],
])('brings what %s draws', async (_, drawn, imageUrl) => {
  let asked: ModelRequest | undefined;
  const context = extensionContext({
    request: modelRequest({ user: 'u', preferences: { only: ['acme'], order: ['x'], zeroDataRetention: true } }),
    infer: (request) => {
      asked = request;
      return Promise.resolve(replying(block('google', { text: 'no image' }), drawn));
    },
  });
  const result = await offer({ quality: 'high' }).run({ prompt: 'a boat' }, { context, number: 1 });
  expect(result).toMatchObject({ content: { status: 'ok', imageUrl }, isError: false });
  expect(result.text).not.toContain('base64');
  expect(imageGeneration.recall(result.content, openSeal)).toBe(result.text);
  expect(asked).toMatchObject({
    model: 'acme/painter',
    user: 'u',
    preferences: { only: ['acme'], zeroDataRetention: true },
    extras: { value: { image_config: { quality: 'high' } } },
  });
  expect(asked!.preferences).not.toHaveProperty('order');
}); // prettier-ignore

it.each([
  ['draws nothing', () => Promise.resolve(replying()), 'The model drew nothing.'],
  ['is refused', () => Promise.reject(new GatewayError('payment-required', 'no room')), 'no room'],
])('tells of a model that %s', async (_, infer, error) => {
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
