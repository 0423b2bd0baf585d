// A step continues only where its reply reported its end, whatever came before.
import type { ModelEvent, StopReason } from '../../core/conversation/event.js';
import type { OfferedTool } from './offered-tools.js';
import { StepEvents } from './step-events.js';
import { NO_USAGE } from '../../core/conversation/usage.js';

const CALL: readonly ModelEvent[] = [
  { type: 'reply-start', id: 'one', model: 'test/one' },
  { type: 'block-start', index: 0, block: { type: 'tool-use', id: 'a', name: 'datetime' } },
];
const endWith = (unified: StopReason['unified']): ModelEvent => ({
  type: 'reply-end',
  stop: { unified, raw: null, vendor: 'anthropic' },
});

function step(): StepEvents {
  const offered = { type: 'made-up:datetime', name: 'datetime' } as unknown as OfferedTool;
  return new StepEvents(new Map([['datetime', offered]]), { blocks: 0, usage: NO_USAGE, sources: undefined });
}

it('continues after its last event, and not before it, which a reader that left does not receive', () => {
  const events = step();
  events.pass(CALL);
  expect(events.hasPendingToolCalls).toBe(false);
  events.pass([{ type: 'block-end', index: 0 }, endWith('tool-use')]);
  expect(events.hasPendingToolCalls).toBe(true);
});

it.each(['output-limit', 'context-limit', 'refusal', 'content-filter'] as const)('runs nothing after %s', (unified) => {
  const events = step();
  events.pass([...CALL, { type: 'block-end', index: 0 }, endWith(unified)]);
  expect(events.hasPendingToolCalls).toBe(false);
});
