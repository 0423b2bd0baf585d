// Data that another vendor signed or sealed come back unchanged, and Anthropic's own are never touched: properties over
// any data and marks, and a table of texts that are no token.
import fc from 'fast-check';
import type { ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { printToken, readToken } from './reasoning-token.js';

const marks: fc.Arbitrary<ReasoningMark> = fc
  .record(
    { format: fc.string(), provider: fc.string(), id: fc.string(), isSummary: fc.constant(true) },
    { requiredKeys: ['format'] },
  )
  .filter(
    ({ format, provider }) => format !== 'anthropic-claude-v1' && !(format === 'unknown' && provider === undefined),
  );

it('returns what it was made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), marks, (data, mark) => {
      const token = printToken(data, mark);
      expect(token).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(readToken(token)).toEqual({ data, mark });
    }),
  );
});

it.each<[ReasoningMark | undefined]>([
  [undefined],
  [{ format: 'anthropic-claude-v1', provider: 'p' }],
  [{ format: 'unknown' }],
])('leaves data with the mark %j unchanged', (mark) => {
  expect(printToken('EqQBCkYI', mark)).toBe('EqQBCkYI');
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
it.each([
  '',
  'EqQBCkYI',
  base64('{"format"'),
  base64('{"format":1,"data":"d"}'),
  base64('{"format":"f"}'),
  base64('{"format":"f","data":'),
])('takes %j for no token', (text) => {
  expect(readToken(text)).toBeUndefined();
});
