// A marker in each field: a requested hour is found anywhere, and five minutes nowhere.
import type { ModelRequest } from './request.js';
import { wantsHourCache } from './wants-hour-cache.js';

const text = (ttl?: '5m' | '1h'): object => ({ type: 'text', text: 'x', cacheMarker: ttl && { ttl } });
const request = (parts: object): ModelRequest => ({ tools: [], system: [], messages: [], ...parts }) as never;

describe.each(['1h', '5m', undefined] as const)('wantsHourCache of %p', (ttl) => {
  it.each<[string, object]>([
    ['the whole request', { cacheMarker: { ttl } }],
    ['a tool', { tools: [{ type: 'service' }, { type: 'function', cacheMarker: { ttl } }] }],
    ['a tool of the gateway', { tools: [{ type: 'function' }, { type: 'service', cacheMarker: { ttl } }] }],
    ['the instructions', { system: [text(ttl)] }],
    ['a turn', { messages: [{ content: [text()] }, { content: [text(), text(ttl)] }] }],
    ['the result of a tool', { messages: [{ content: [{ type: 'tool-result', content: [text(ttl)] }] }] }],
  ])('at %s', (_, parts) => {
    expect(wantsHourCache(request(parts))).toBe(ttl === '1h');
  });
});
