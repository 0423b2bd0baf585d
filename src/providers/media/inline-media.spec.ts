// Goal: fetched media replace their addresses in the request, wherever they are, and nothing else changes. Method: one
// request with an address in every kind of block, and the call that a dialect makes of it.
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { ImageBlock, Message } from '../../core/conversation/content.js';
import { Base64Text } from '../../core/json/base64-text.js';
import type { Target } from '../../core/provider.js';
import { doAtOnce } from '../../core/steps.js';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.js';
import { withInlineMedia } from './inline-media.js';

const URL_A = 'https://a.test/a.png';
const media = new Map([[URL_A, { mediaType: 'image/png', base64: new Base64Text([Buffer.from('QUJD')]) }]]);
const wire = (url: string) => ({ type: 'image', source: { type: 'url', url } });
const image = (url: string): ImageBlock => ({
  type: 'image',
  source: { type: 'url', url },
  origin: { vendor: 'anthropic', value: wire(url) },
});
const turn = (...content: Message['content']): Message => ({
  role: 'user',
  content,
  origin: { vendor: 'anthropic', value: { role: 'user', content: content.map((block) => block.origin!.value) } },
});
const BYTES = { type: 'base64', mediaType: 'image/png', data: 'QUJD' };

it('is the same request where there is nothing to replace', () => {
  const request = modelRequest({ messages: [turn(image('https://other.test/'))] });
  expect(withInlineMedia(request, media)).toBe(request);
  expect(withInlineMedia(request, new Map())).toBe(request);
});

it('replaces each address, and leaves what is beside it unchanged', () => {
  const [other, first] = [image('https://other.test/'), turn(image('https://other.test/'))];
  const messages: Message[] = [
    first,
    turn(image(URL_A), other),
    { role: 'user', content: [{ type: 'tool-result', toolUseId: 't', content: [image(URL_A)] }] },
    { role: 'user', content: [{ type: 'document', source: { type: 'blocks', blocks: [image(URL_A)] } }] },
  ];
  const { messages: inline } = withInlineMedia(modelRequest({ messages }), media);
  const replaced = { type: 'image', source: BYTES };
  expect(inline).toEqual([
    first,
    { role: 'user', content: [replaced, other] },
    { role: 'user', content: [{ type: 'tool-result', toolUseId: 't', content: [replaced] }] },
    { role: 'user', content: [{ type: 'document', source: { type: 'blocks', blocks: [replaced] } }] },
  ]);
  expect([inline[0], inline[1]!.content[1]]).toEqual([first, other]);
});

it('is printed by a dialect that leaves addresses to its vendor', () => {
  const one = endpoint('amazon-bedrock');
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} } as const;
  const target: Target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
  const request = withInlineMedia(modelRequest({ messages: [turn(image(URL_A))] }), media);
  expect(JSON.parse(JSON.stringify(doAtOnce(anthropicMessages.encode(request, target, media)).body))).toMatchObject({
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } }] },
    ],
  });
});
