// Routing suffixes are parsed, catalogue suffixes stay (docs/use/choosing-providers.md#suffixes-of-models). A table.
import { readModelName, ROUTING_SUFFIXES } from './model-name.js';

describe('model names', () => {
  it.each([
    ['a/b', { id: 'a/b', online: false }],
    ['a/b:free', { id: 'a/b:free', online: false }],
    ['a/b:nitro', { id: 'a/b', sort: 'throughput', online: false }],
    ['a/b:floor', { id: 'a/b', sort: 'price', online: false }],
    ['a/b:exacto', { id: 'a/b', sort: 'exacto', online: false }],
    ['a/b:online', { id: 'a/b', online: true }],
    ['a/b:nitro:floor', { id: 'a/b', sort: 'price', online: false }],
    ['a/b:floor:online:nitro', { id: 'a/b', sort: 'throughput', online: true }],
    ['a/b:nitro:free', { id: 'a/b:free', sort: 'throughput', online: false }],
    ['a/b:free:nitro', { id: 'a/b:free', sort: 'throughput', online: false }],
    ['a/b:Nitro', { id: 'a/b:Nitro', online: false }],
    ['a/b:', { id: 'a/b:', online: false }],
    ['a/b:toString', { id: 'a/b:toString', online: false }],
    [':nitro', { id: '', sort: 'throughput', online: false }],
  ])('%s', (name, expected) => {
    expect(readModelName(name)).toEqual(expected);
  });

  it('removes every routing suffix', () => {
    for (const suffix of ROUTING_SUFFIXES) expect(readModelName(`a/b:${suffix}`).id).toBe('a/b');
  });
});
