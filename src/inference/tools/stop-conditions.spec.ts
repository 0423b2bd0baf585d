// Goal: a loop is over at its thirtieth step and when a condition is met, at the bound itself and not before. Method: a
// row for each condition at its bound, and one short of it.
import type { StopCondition } from '../../core/conversation/request.js';
import { isLoopOver, type LoopProgress } from './stop-conditions.js';

const PROGRESS: LoopProgress = {
  steps: 3,
  called: new Set(['openrouter:datetime', 'datetime']),
  stop: { unified: 'tool-use', raw: 'tool_calls', vendor: 'openai' },
  usage: {
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    cacheWrite1hTokens: 5,
  },
  spent: 5_000_000_000n,
};
const over = (conditions: readonly StopCondition[], progress: Partial<LoopProgress> = {}): boolean =>
  isLoopOver({ ...PROGRESS, ...progress }, conditions);

it.each<[string, StopCondition, StopCondition]>([
  ['steps', { type: 'step-count', stepCount: 3 }, { type: 'step-count', stepCount: 4 }],
  ['a call, by type', { type: 'tool-call', toolName: 'openrouter:datetime' }, { type: 'tool-call', toolName: 'openrouter:bash' }],
  ['a call, by name', { type: 'tool-call', toolName: 'datetime' }, { type: 'tool-call', toolName: 'date' }],
  ['tokens of all kinds', { type: 'tokens-used', maxTokens: 132 }, { type: 'tokens-used', maxTokens: 133 }],
  ['cost', { type: 'cost', maxUsd: 0.005 }, { type: 'cost', maxUsd: 0.005_001 }],
  ['the reason, as its vendor says it', { type: 'finish-reason', reason: 'tool_calls' }, { type: 'finish-reason', reason: 'stop' }],
  ['the reason, as the other face says it', { type: 'finish-reason', reason: 'tool_use' }, { type: 'finish-reason', reason: 'end_turn' }],
])('is met by %s, and not before', (_, met, unmet) => {
  expect([over([met]), over([unmet])]).toEqual([true, false]);
  expect([over([unmet, met]), over([unmet, unmet])]).toEqual([true, false]);
}); // prettier-ignore

it.each([
  [{ unified: 'end-turn', raw: null, vendor: 'anthropic' }, 'end_turn', 'tool_use'],
  [{ unified: 'end-turn', raw: 'stop', vendor: 'openai' }, 'stop', 'tool_calls'],
] as const)('reads the reason %j', (stop, reason, other) => {
  expect(over([{ type: 'finish-reason', reason }], { stop })).toBe(true);
  expect(over([{ type: 'finish-reason', reason: other }], { stop })).toBe(false);
});

it('ends after thirty steps, whatever is said, and goes on till then where nothing is', () => {
  expect(over([], { steps: 29 })).toBe(false);
  expect(over([], { steps: 30 })).toBe(true);
  expect(over([{ type: 'step-count', stepCount: 99 }], { steps: 30 })).toBe(true);
});
