import { PlainChunk } from './plain-chunk.js';

const chunk = (delta: object, choice: object = {}, more: object = {}): string =>
  JSON.stringify({ id: 'c', ...more, choices: [{ index: 0, delta, finish_reason: null, ...choice }], usage: null });

const taughtBy = (data: string): PlainChunk => {
  const plain = new PlainChunk();
  plain.learn(data, JSON.parse(data));
  return plain;
};

describe('plain chunks', () => {
  it('read like the one that taught them, with other words', () => {
    const plain = taughtBy(chunk({ content: 'Hello' }));
    expect(plain.read(chunk({ content: ' wörld 🙂' }))).toBe(' wörld 🙂');
    expect(plain.read(chunk({ content: '' }))).toBe('');
    const spaced = (words: string): string => chunk({ content: words }).replace('"content":', '"content": ');
    expect([spaced('b'), chunk({ content: 'b' })].map((data) => taughtBy(spaced('a')).read(data))).toEqual([
      'b',
      undefined,
    ]);
  });

  it.each<[string, string]>([
    ['words with an escape', chunk({ content: 'a\n' })],
    ['words with a quote', chunk({ content: 'a"b' })],
    ['words with a control character', chunk({ content: 'a?' }).replace('?', '\u0001')],
    ['another id', chunk({ content: 'a' }, {}, { id: 'd' })],
    ['a reason to end', chunk({ content: 'a' }, { finish_reason: 'stop' })],
    ['more than words', chunk({ content: 'a', refusal: 'b' })],
    ['likelihoods', chunk({ content: 'a' }, { logprobs: { content: [] } })],
    ['a usage', chunk({ content: 'a' }).replace('"usage":null', '"usage":{}')],
    ['no words', chunk({})],
    ['less than the frame', '{"id":"c"}'],
  ])('leave %s to the parser', (_, data) => {
    expect(taughtBy(chunk({ content: 'Hello' })).read(data)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['words with an escape', chunk({ content: 'a\n' })],
    ['no words', chunk({ content: '' })],
    ['another text', chunk({ content: 'a', reasoning: 'b' })],
    ['the last words', chunk({ content: 'a' }, { finish_reason: 'stop' })],
    ['likelihoods', chunk({ content: 'a' }, { logprobs: { content: [] } })],
    ['two choices', JSON.stringify({ choices: [{ delta: { content: 'a' } }, { delta: { content: 'b' } }] })],
    ['a choice that is not read', chunk({ content: 'a' }, { index: 1 })],
    ['a second key of the name', chunk({ content: 'a' }, {}, { note: { content: 'b' } })],
    [
      'one that is spelt otherwise',
      chunk({ content: 'a' }, {}, { note: { content: 'b' } }).replace('{"content":"a"', '{"content" : "a"'),
    ],
    ['a colon further off', chunk({ content: 'a' }).replace('"content":', '"content" :')],
  ])('are not taught by %s', (_, data) => {
    expect(taughtBy(data).read(data)).toBeUndefined();
  });

  it('are learnt anew a few times, and no more', () => {
    const plain = new PlainChunk();
    const each = ['a', 'b', 'c', 'd', 'e'].map((id) => chunk({ content: 'x' }, {}, { id }));
    for (const data of each) plain.learn(data, JSON.parse(data));
    expect(each.map((data) => plain.read(data) !== undefined)).toEqual([false, false, false, true, false]);
  });
});
