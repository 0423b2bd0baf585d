// Reading the texts of a long request does not block the event loop: the longest step of 10 MB.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, DocumentBlock } from '../../core/conversation/content.js';
import type { Json } from '../../core/json/json.js';
import { textsOf } from './request-texts.js';

describe('reads 10 MB in steps', () => {
  const LENGTH = 10_000_000;
  const STEP_MS_MAX = 20;
  const lines = 'a"b\n'.repeat(LENGTH / 4);
  const use = (input: Json): ContentBlock => ({ type: 'tool-use', id: 'c', name: 'f', input });
  const text = (data: string): DocumentBlock => ({
    type: 'document',
    source: { type: 'base64', mediaType: 'text/plain', data: Buffer.from(data).toString('base64') },
  });
  const long = 'zwölf €😀 '.repeat(LENGTH / 10);

  it.each<[string, () => readonly ContentBlock[], (parts: readonly string[]) => boolean]>([
    ['arguments as text', () => [use(JSON.stringify({ q: lines }))], ([words]) => words === `{"q":"${lines}"}`],
    ['arguments', () => [use({ q: lines })], ([words]) => words === `{"q":"${lines}"}`],
    ['arguments of many members', () => [use(Array.from({ length: 200_000 }, (_, at) => ({ [`k${at}`]: lines.slice(0, 36) })))], ([words]) => words!.length > LENGTH], // oxfmt-ignore
    ['a file of text', () => [text(long)], ([words]) => words === long],
    ['short texts', () => Array.from({ length: 100_000 }, (): ContentBlock => ({ type: 'text', text: 'x'.repeat(100) })), (parts) => parts.length === 100_000], // oxfmt-ignore
  ])('%s', async (_, make, isRead) => {
    const request = modelRequest({ messages: [{ role: 'user', content: make() }] });
    const longestStep = (): number => {
      const steps = textsOf(request, 0);
      let longest = 0;
      for (let parts: readonly string[] | undefined; parts === undefined;) {
        const took = computedMs(() => {
          const step = steps.next();
          if (step.done) parts = step.value.texts[0]!.parts;
        });
        longest = Math.max(longest, took);
        if (parts) expect(isRead(parts)).toBe(true);
      }
      return longest;
    };
    expect(await fastest(longestStep, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
  });
});
