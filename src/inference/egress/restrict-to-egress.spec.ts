// Hand-made requests, some with very many parts: addresses are found wherever they are, and judging many of them yields
// to the event loop.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { Egress } from '../../core/egress.js';
import { restrictToEgress } from './restrict-to-egress.js';

const egress = Egress.of({ allowed_domains: ['good.test'], blocked_domains: null })!;
const image = (url: string): ContentBlock => ({ type: 'image', source: { type: 'url', url } });
const requestWith = (...content: ContentBlock[]): ModelRequest =>
  modelRequest({ messages: [{ role: 'user', content }] });
const search = (allowed: readonly string[]): Tool => ({
  type: 'vendor',
  opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305', name: 'web_search', allowed_domains: allowed } },
});
const MANY = 5_000;
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: MANY }, (_, index) => make(index));

it('returns the same request where there are no rules', () => {
  const request = requestWith(image('https://evil.test/'));
  expect(restrictToEgress(request, undefined)).toEqual({ request });
});

it.each<[string, ContentBlock, string]>([
  [
    'a source within a block that only its vendor understands',
    {
      type: 'opaque',
      opaque: {
        vendor: 'anthropic',
        value: { type: 'x', parts: [{ source: { type: 'url', url: 'https://evil.test/' } }] },
      },
    },
    'messages.0.content.0.parts.0.source.url: evil.test may not be reached',
  ],
  ['a video', { type: 'video', source: { type: 'url', url: 'gs://bucket/a' } }, 'messages.0.content.0.source.url: '],
])('refuses %s', async (_, block, message) => {
  const { refusal } = await restrictToEgress(requestWith(block), egress);
  expect([refusal?.kind, refusal?.message]).toEqual(['forbidden', expect.stringContaining(message)]);
});

it('refuses lists of domains that are too long to compare', async () => {
  const domainsGiven = Array.from({ length: 401 }, (_, index) => `${index}.good.test`);
  const [fits, exceeds] = [domainsGiven.slice(1), domainsGiven].map((domains) =>
    modelRequest({ tools: [search(domains)] }),
  );
  expect((await restrictToEgress(fits!, egress)).request.tools[0]).toMatchObject({
    bound: { allowedDomains: fits && domainsGiven.slice(1) },
  });
  expect((await restrictToEgress(exceeds!, egress)).refusal?.message).toContain('tools.0: more than 400 domains');
});

it.each<[string, ModelRequest]>([
  ['media', requestWith(...many((index) => image(`https://good.test/${index}`)))],
  ['the same media again and again', requestWith(...many(() => image('https://good.test/')))],
  ['blocks without any', requestWith(...many((): ContentBlock => ({ type: 'text', text: '' })))],
  ['turns', modelRequest({ messages: many(() => ({ role: 'user', content: [] })) })],
  [
    'servers',
    modelRequest({
      extras: { vendor: 'anthropic', value: { mcp_servers: many(() => ({ url: 'https://good.test/' })) } },
    }),
  ],
  [
    'fields',
    modelRequest({ extras: { vendor: 'anthropic', value: Object.fromEntries(many((index) => [`f${index}`, 1])) } }),
  ],
  ['tools', modelRequest({ tools: many(() => search(['good.test'])) })],
  [
    'parameters',
    modelRequest({ tools: [{ type: 'service', id: 'openrouter:bash', parameters: { all: many(String) } }] }),
  ],
])('yields to the event loop where there are many %s', async (_, request) => {
  const binding = restrictToEgress(request, egress);
  expect(binding).toBeInstanceOf(Promise);
  expect((await binding).refusal).toBeUndefined();
});
