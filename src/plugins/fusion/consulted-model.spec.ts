// Goal: one model of a panel says no more than there is room for, takes no longer than it may, and is left out for what
// keeps it from answering. Method: calls made up by hand, and time moved by hand.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import type { ModelEvent, UnifiedStop } from '../../core/conversation/event.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import type { ExtensionContext, PlannedCall } from '../../core/extension.js';
import { ANSWER_CHARACTERS_MAX, ConsultedModel, MODEL_MS_MAX } from './consulted-model.js';
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
