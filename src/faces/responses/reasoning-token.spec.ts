// The contents of reasoning come back as they were made, and altered ones are dropped.
import { hash } from 'node:crypto';
import { printToken, readToken, type ReasoningBlock } from './reasoning-token.js';

const tokenOf = (text: string): string => {
  const body = Buffer.from(text).toString('base64url');
  return `fr1.${body}.${hash('sha256', body, 'hex').slice(0, 16)}`;
};

it('are the blocks that were printed', () => {
  const blocks: ReasoningBlock[] = [
    { type: 'thinking', thinking: 'Hm.', signature: 's', mark: { format: 'anthropic' } },
    { type: 'redacted-thinking', data: 'd' },
  ];
  expect(readToken(printToken(blocks))).toEqual(blocks);
});

it.each([
  ['another origin', 'gAAAAA'],
  ['a sum of other contents', `${tokenOf('[]').slice(0, -1)}x`],
  ['a right sum of no JSON', tokenOf('not json')],
  ['a right sum of no list', tokenOf('{}')],
  ['more blocks than any item has', tokenOf(JSON.stringify(Array.from({ length: 1_001 }, () => ({ type: 'thinking', thinking: '' }))))],
  ['more than any item contains', tokenOf(JSON.stringify([{ type: 'thinking', thinking: 'x'.repeat(2_000_000) }]))],
])('are empty for %s', (_, token) => {
  expect(readToken(token)).toEqual([]);
}); // oxfmt-ignore
