// Hand-made progress at and below each bound: each condition ends the loop exactly there, in the words of either face.
import type { StopReason, UnifiedStop } from '../../core/conversation/event.js';
import type { StopCondition } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { PICO_PER_USD } from '../../core/money/credits.js';
import { calledIn, isLoopOver, STEPS_MAX, type LoopProgress } from './stop-conditions.js';

const stopped = (unified: UnifiedStop, raw: string | null = null): StopReason => ({ unified, raw, vendor: 'google' });
const progress = (parts: Partial<LoopProgress> = {}): LoopProgress => ({
  steps: 1,
  called: new Set(),
  stop: stopped('tool-use'),
  usage: {},
  spent: 0n,
  ...parts,
});

it.each<[string, StopCondition, Partial<LoopProgress>, Partial<LoopProgress>]>([
  ['steps', { type: 'step-count', stepCount: 3 }, { steps: 2 }, { steps: 3 }],
  [
    'a call',
    { type: 'tool-call', toolName: 'look' },
    { called: new Set(['see']) },
    { called: new Set(['see', 'look']) },
  ],
  [
    'tokens',
    { type: 'tokens-used', maxTokens: 10 },
    { usage: { inputTokens: 5, outputTokens: 4 } },
    { usage: { inputTokens: 5, outputTokens: 4, cacheReadTokens: 1 } },
  ],
  [
    'tokens that are written to a cache for an hour',
    { type: 'tokens-used', maxTokens: 10 },
    { usage: { cacheWrite1hTokens: 9 } },
    { usage: { cacheWrite1hTokens: 10 } },
  ],
  ['cost', { type: 'cost', maxUsd: 0.5 }, { spent: PICO_PER_USD / 2n - 1n }, { spent: PICO_PER_USD / 2n }],
])('ends at a number of %s', (_, condition, before, at) => {
  expect(isLoopOver(progress(before), [condition])).toBe(false);
  expect(isLoopOver(progress(at), [condition])).toBe(true);
  expect(isLoopOver(progress(at), [{ type: 'step-count', stepCount: 30 }, condition])).toBe(true);
});

it('finds a tool that its vendor ran by its name, and by its requested type', () => {
  const offered = { type: 'openrouter:datetime', name: 'datetime' };
  const step = { calls: [{ id: 'a', offered }], vendorsTools: ['web_search', 'code_execution'] };
  const tools = [
    { type: 'service', id: 'openrouter:web_search', parameters: {} },
    { type: 'service', id: 'openrouter:web_fetch', parameters: {} },
    { type: 'vendor', name: 'code_execution', opaque: { vendor: 'anthropic', value: { type: 'code_execution_20250825' } } },
  ]; // oxfmt-ignore
  const called = calledIn(step as unknown as Parameters<typeof calledIn>[0], tools as Tool[]);
  expect([...called].sort()).toEqual(
    ['code_execution', 'code_execution_20250825', 'datetime', 'openrouter:datetime', 'openrouter:web_search', 'web_search'],
  ); // oxfmt-ignore
});

it('ends after thirty steps by default', () => {
  expect(isLoopOver(progress({ steps: STEPS_MAX - 1 }), [])).toBe(false);
  expect(isLoopOver(progress({ steps: STEPS_MAX }), [])).toBe(true);
});

it.each<[reason: string, stop: StopReason, isMet: boolean]>([
  ['length', stopped('output-limit', 'MAX_TOKENS'), true],
  ['max_tokens', stopped('output-limit', 'MAX_TOKENS'), true],
  ['MAX_TOKENS', stopped('output-limit', 'MAX_TOKENS'), true],
  ['length', stopped('context-limit'), true],
  ['model_context_window_exceeded', stopped('context-limit'), true],
  ['stop', stopped('end-turn'), true],
  ['end_turn', stopped('end-turn'), true],
  ['stop', stopped('stop-sequence'), true],
  ['content_filter', stopped('refusal'), true],
  ['refusal', stopped('content-filter'), true],
  ['pause_turn', stopped('pause'), true],
  ['tool_use', stopped('tool-use'), true],
  ['tool_calls', stopped('tool-use'), true],
  ['length', stopped('tool-use'), false],
  ['max_tokens', stopped('end-turn'), false],
])('matches the reason %s with %j: %s', (reason, stop, isMet) => {
  expect(isLoopOver(progress({ stop }), [{ type: 'finish-reason', reason }])).toBe(isMet);
});
