// One model of a panel returns no more text than fits, takes no longer than its limit, and is left out
// with the reason of its failure. Calls and time are controlled by the test.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import type { Message } from '../../core/conversation/content.js';
import type { ModelEvent, UnifiedStop } from '../../core/conversation/event.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import type { ExtensionContext, PlannedCall } from '../../core/extension.js';
import { ANSWER_CHARACTERS_MAX, ConsultedModel, MODEL_MS_MAX, requestsFor } from './consulted-model.js';
import { conversationOf } from './conversation.js';
import { fusion } from './fusion.js';
import type { Panel } from './panel.js';

const MODEL = { name: 'a/one', model: model('a/one', [endpoint('p')]), fallbacks: [] };
const PANEL: Panel = { models: [MODEL], judge: MODEL, tools: [], isToolsDefault: false, toolUsesMax: 8 };
const QUESTION = { kind: 'fusion-panel', system: [], messages: [] } as const;

const text = (words: string): ModelEvent[] => [
  { type: 'block-start', index: 0, block: { type: 'text' } },
  { type: 'block-delta', index: 0, delta: { type: 'text', text: words } },
  { type: 'block-end', index: 0 },
];
const end = (unified: UnifiedStop = 'end-turn'): ModelEvent => ({
  type: 'reply-end',
  stop: { unified, raw: null, vendor: 'anthropic' },
});
const replying = (...events: ModelEvent[]): PlannedCall['start'] =>
  function start() {
    async function* batches(): AsyncGenerator<readonly ModelEvent[]> {
      yield await Promise.resolve(events);
    }
    return Promise.resolve(batches());
  };

async function outcomeOf(start: PlannedCall['start'], parts: Partial<ExtensionContext> = {}) {
  const plan = () => Promise.resolve({ cost: 5n, start });
  const context = extensionContext({ plan, request: modelRequest(), ...parts });
  return (await ConsultedModel.plan(context, PANEL, MODEL, QUESTION)).ask();
}
const RESULT = { type: 'x', toolUseId: 'y', content: null, seal: () => undefined };

it.each<[string, PlannedCall['start'], object]>([
  ['text', replying(...text('At nine.'), end()), { text: 'At nine.', isCut: false }],
  ['texts', replying(...text('One.'), ...text('Two.'), end()), { text: 'One.\n\nTwo.' }],
  [
    'the text after its tools',
    replying(
      ...text('Let me see.'),
      { type: 'block-start', index: 1, block: { type: 'service-tool-result', result: RESULT } },
      ...text('At ten.'),
      end(),
    ),
    { text: 'At ten.' },
  ],
  ['a text that was cut off', replying(...text('At'), end('output-limit')), { text: 'At', isCut: true }],
  [
    'as much as there is room for',
    replying(...text('x'.repeat(ANSWER_CHARACTERS_MAX)), ...text('y'), end()),
    { text: 'x'.repeat(ANSWER_CHARACTERS_MAX), isCut: true },
  ],
  ['nothing', replying(...text('  '), end()), { omission: 'empty' }],
  ['nothing, for want of room', replying(end('pause')), { omission: 'payment-required' }],
  ['no', replying(...text('I cannot.'), end('refusal')), { omission: 'refused' }],
  ['a failure', () => Promise.reject(new GatewayError('rate-limited', 'later')), { omission: 'rate-limited' }],
])('returns %s', async (_, start, expected) => {
  expect(await outcomeOf(start)).toMatchObject({ ...expected, name: 'a/one' });
});

it('is left out where its text exceeds the bytes in flight', async () => {
  expect(await outcomeOf(replying(...text('At nine.'), end()), { keep: () => false })).toMatchObject({
    omission: 'overloaded',
  });
});

it('is left out when its time is over, and is aborted', async () => {
  jest.useFakeTimers();
  let signal: { readonly aborted: boolean } | undefined;
  const plan: ExtensionContext['plan'] = (_request, _kind, options) => {
    signal = options?.signal;
    return Promise.resolve({ cost: 0n, start: () => new Promise(() => undefined) });
  };
  const outcome = (await ConsultedModel.plan(extensionContext({ plan }), PANEL, MODEL, QUESTION)).ask();
  jest.advanceTimersByTime(MODEL_MS_MAX - 1);
  expect(signal!.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(signal!.aborted).toBe(true);
  expect(await outcome).toMatchObject({ omission: 'timed-out', report: { outcome: 'left out', reason: 'timed-out' } });
});

it('ends with its request', async () => {
  const gone = new Cancellation();
  const outcome = outcomeOf(() => new Promise(() => undefined), { signal: gone.signal });
  await Promise.resolve();
  gone.abort(new CallerGone());
  await expect(outcome).rejects.toThrow(CallerGone);
});

describe('is sent', () => {
  const sentFor = (messages: readonly Message[]) => {
    const clear = { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 3 } };
    const edits = [clear, { type: 'compact_20260112' }];
    const contextManagement = { vendor: 'anthropic', value: { edits } } as const;
    const parsedFiles = [{ hash: 'h', name: 'a.pdf', content: [] }];
    const request = modelRequest({ messages, contextManagement, parsedFiles, plugins: [{ id: 'fusion' }] });
    const [sent] = requestsFor(request, PANEL, MODEL, { kind: 'fusion-panel', ...conversationOf(request) });
    return { sent, parsedFiles, cleared: { vendor: 'anthropic', value: { edits: [clear] } } };
  };

  it('the files that were parsed, and the context management that needs no model', () => {
    const { sent, parsedFiles, cleared } = sentFor([{ role: 'user', content: [{ type: 'text', text: '?' }] }]);
    expect(sent).toMatchObject({ parsedFiles, contextManagement: cleared, plugins: [] });
  });

  it('neither of them where it is sent a transcript', () => {
    const use = { type: 'tool-use', id: 't', name: 'f', input: {} } as const;
    const { sent } = sentFor([{ role: 'assistant', content: [use] }]);
    expect(sent).not.toHaveProperty('contextManagement');
    expect(sent).not.toHaveProperty('parsedFiles');
  });
});

it('aborts the other models of its panel where one fails by a fault of the gateway', async () => {
  const signals: { readonly aborted: boolean }[] = [];
  const [one, two] = ['a/one', 'a/two'].map((id) => model(id, [endpoint('p')]));
  const plan: ExtensionContext['plan'] = ({ model: name }, _kind, options) => {
    signals.push(options!.signal!);
    const start = (): Promise<never> =>
      name === 'a/one' ? Promise.reject(new TypeError('ours')) : new Promise(() => undefined);
    return Promise.resolve({ cost: 0n, start });
  };
  const request = modelRequest({ plugins: [{ id: 'fusion' }] });
  const context = extensionContext({ plan, request, catalog: catalogOf(one!, two!) });
  const options = { analysis_models: ['a/one', 'a/two'], model: 'a/one', tools: [] };
  await expect(fusion.consult!(request, options, context, () => undefined)).rejects.toThrow(TypeError);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
