// Events as dialects emit them: the seal of a call gets the id under which the call is sent, and nothing else is
// changed or lost.
import type { ModelEvent } from '../../core/conversation/event.js';
import { CallSignatures } from './call-signatures.js';

const seal = (id?: string): ModelEvent => ({
  type: 'block-start',
  index: 0,
  block: { type: 'redacted-thinking', data: 'sealed', mark: { format: 'google-gemini-v1', ...(id && { id }) } },
});
const end: ModelEvent = { type: 'block-end', index: 0 };
const call = (id: string): ModelEvent => ({
  type: 'block-start',
  index: 1,
  block: { type: 'tool-use', id, name: 'look' },
});

/** The emitted events, where the call `ours` gets another id. */
function emitted(...events: ModelEvent[]): ModelEvent[] {
  const seals = new CallSignatures();
  return events.flatMap((event): readonly ModelEvent[] => {
    const isOurs = event.type === 'block-start' && event.block.type === 'tool-use' && event.block.id === 'ours';
    const released = seals.release(event, isOurs ? 'another' : undefined);
    return seals.hold(event) ? released : [...released, event];
  });
} // oxfmt-ignore

it.each<[string, ModelEvent[], ModelEvent[]]>([
  ['the seal of a call of ours', [seal('ours'), end, call('ours')], [seal('another'), end, call('ours')]],
  ['the seal of a call of the caller’s', [seal('theirs'), end, call('theirs')], [seal('theirs'), end, call('theirs')]],
  ['the seal of a call that does not come', [seal('gone'), end, call('ours')], [seal('gone'), end, call('ours')]],
  ['two seals', [seal('gone'), end, seal('ours'), end, call('ours')], [seal('gone'), end, seal('another'), end, call('ours')]],
  ['a seal of no call', [seal(), end, call('ours')], [seal(), end, call('ours')]],
  ['a seal that nothing follows', [seal('ours'), end, { type: 'ping' }], [seal('ours'), end, { type: 'ping' }]],
])('emits %s', (_, events, expected) => {
  expect(emitted(...events)).toEqual(expected);
}); // oxfmt-ignore
