// Goal: one model of a panel says no more than there is room for, takes no longer than it may, and is left out for what
// keeps it from answering. Method: calls made up by hand, and time moved by hand.
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

const ASKED = { name: 'a/one', model: model('a/one', [endpoint('p')]), fallbacks: [] };
const PANEL: Panel = { models: [ASKED], judge: ASKED, tools: [], isToolsDefault: false, toolUsesMax: 8 };
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
const saying = (...events: ModelEvent[]): PlannedCall['start'] =>
  function start() {
    async function* batches(): AsyncGenerator<readonly ModelEvent[]> {
      yield await Promise.resolve(events);
    }
    return Promise.resolve(batches());
  };

async function askOf(start: PlannedCall['start'], parts: Partial<ExtensionContext> = {}) {
  const plan = () => Promise.resolve({ cost: 5n, start });
  const context = extensionContext({ plan, request: modelRequest(), ...parts });
  return (await ConsultedModel.plan(context, PANEL, ASKED, QUESTION)).ask();
}
const RESULT = { type: 'x', toolUseId: 'y', content: null, seal: () => undefined };

it.each<[string, PlannedCall['start'], object]>([
  ['text', saying(...text('At nine.'), end()), { text: 'At nine.', isCut: false }],
  ['texts', saying(...text('One.'), ...text('Two.'), end()), { text: 'One.\n\nTwo.' }],
  [
    'what stands behind its tools',
    saying(
      ...text('Let me see.'),
      { type: 'block-start', index: 1, block: { type: 'service-tool-result', result: RESULT } },
      ...text('At ten.'),
      end(),
    ),
    { text: 'At ten.' },
  ],
  ['a text that was cut off', saying(...text('At'), end('output-limit')), { text: 'At', isCut: true }],
  [
    'as much as there is room for',
    saying(...text('x'.repeat(ANSWER_CHARACTERS_MAX)), ...text('y'), end()),
    { text: 'x'.repeat(ANSWER_CHARACTERS_MAX), isCut: true },
  ],
  ['nothing', saying(...text('  '), end()), { omission: 'empty' }],
  ['nothing, for want of room', saying(end('pause')), { omission: 'payment-required' }],
  ['no', saying(...text('I cannot.'), end('refusal')), { omission: 'refused' }],
  ['a failure', () => Promise.reject(new GatewayError('rate-limited', 'later')), { omission: 'rate-limited' }],
])('says %s', async (_, start, expected) => {
  expect(await askOf(start)).toMatchObject({ ...expected, name: 'a/one' });
});

it('is left out where there is no room to keep what it says', async () => {
  expect(await askOf(saying(...text('At nine.'), end()), { keep: () => false })).toMatchObject({
    omission: 'overloaded',
  });
});

it('is left out when its time is over, and told to end', async () => {
  jest.useFakeTimers();
  let signal: { readonly aborted: boolean } | undefined;
  const plan: ExtensionContext['plan'] = (_request, _kind, options) => {
    signal = options?.signal;
    return Promise.resolve({ cost: 0n, start: () => new Promise(() => undefined) });
  };
  const asking = (await ConsultedModel.plan(extensionContext({ plan }), PANEL, ASKED, QUESTION)).ask();
  jest.advanceTimersByTime(MODEL_MS_MAX - 1);
  expect(signal!.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(signal!.aborted).toBe(true);
  expect(await asking).toMatchObject({ omission: 'timed-out', told: { outcome: 'left out', reason: 'timed-out' } });
});

it('ends with its request', async () => {
  const gone = new Cancellation();
  const asking = askOf(() => new Promise(() => undefined), { signal: gone.signal });
  await Promise.resolve();
  gone.abort(new CallerGone());
  await expect(asking).rejects.toThrow(CallerGone);
});

describe('is asked', () => {
  const asked = (messages: readonly Message[]) => {
    const clear = { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 3 } };
    const edits = [clear, { type: 'compact_20260112' }];
    const contextManagement = { vendor: 'anthropic', value: { edits } } as const;
    const parsedFiles = [{ hash: 'h', name: 'a.pdf', content: [] }];
    const request = modelRequest({ messages, contextManagement, parsedFiles, plugins: [{ id: 'fusion' }] });
    const [sent] = requestsFor(request, PANEL, ASKED, { kind: 'fusion-panel', ...conversationOf(request) });
    return { sent, parsedFiles, cleared: { vendor: 'anthropic', value: { edits: [clear] } } };
  };

  it('with the files that were read, and with what is to be cleared and needs no model', () => {
    const { sent, parsedFiles, cleared } = asked([{ role: 'user', content: [{ type: 'text', text: '?' }] }]);
    expect(sent).toMatchObject({ parsedFiles, contextManagement: cleared, plugins: [] });
  });

  it('with neither where it reads all in words', () => {
    const use = { type: 'tool-use', id: 't', name: 'f', input: {} } as const;
    const { sent } = asked([{ role: 'assistant', content: [use] }]);
    expect(sent).not.toHaveProperty('contextManagement');
    expect(sent).not.toHaveProperty('parsedFiles');
  });
});

it('has the others of its panel end where one of them fails by a fault of ours', async () => {
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
