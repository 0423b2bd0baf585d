// A window of a reply is judged with the last text of its question, of which no more is read however long it is: a
// guard model that records its requests, and turns of 10 MB.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { guardModel } from './guard-model.js';

const WINDOW = { of: 'reply', texts: [{ parts: ['So be it.'], by: 'assistant' }], pictures: [] } as const;
const text = (words: string): ContentBlock => ({ type: 'text', text: words });

/** The requests to the guard model about a window of the reply to such a turn. */
function setUp(content: readonly ContentBlock[]) {
  const request = modelRequest({ messages: [{ role: 'user', content }] });
  const requests: ModelRequest[] = [];
  const context = extensionContext({
    request,
    infer: (guarded) => {
      requests.push(guarded);
      return new Promise(() => undefined);
    },
  });
  const engine = guardModel(model('meta/llama-guard-4', [endpoint('p')]));
  return { requests, judge: () => void engine.judge(WINDOW, context) };
}

it.each<[string, readonly ContentBlock[], string]>([
  ['its texts', [text('One.'), text('Two.')], 'One.\nTwo.'],
  ['its texts about a picture', [text('One.'), { type: 'image', source: { type: 'url', url: 'https://a.example/' } }, text(' ')], 'One.'],
  ['its end', [text(`${'x'.repeat(3_000)}end`), text('.')], `${'x'.repeat(1_995)}end\n.`],
])('is sent %s', (_, content, question) => {
  const { requests, judge } = setUp(content);
  judge();
  expect(requests[0]!.messages[0]!.content).toEqual([text(question)]);
}); // oxfmt-ignore

it.each<[string, readonly ContentBlock[]]>([
  ['one text', [text('x'.repeat(10_000_000))]],
  ['100,000 texts', Array.from({ length: 100_000 }, () => text('x'.repeat(100)))],
])('judges a hundred windows in no more time with a turn of 10 MB, of %s', async (_, content) => {
  const { judge } = setUp(content);
  const windows = (): void => {
    for (let window = 0; window < 100; window++) judge();
  };
  expect(await fastest(() => computedMs(windows), 100)).toBeLessThan(100);
});
