import { findHarm, type Harm, type HarmSteps } from './harm/find-harm.js';
import { StepCounter } from '../../core/steps.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import type { CancelSignal } from '../../core/cancellation.js';
import type { Flag, JudgedText, ModerationEngine } from './engine.js';

/** A short text counts as this many of the small items that a step handles. */
const ITEMS_OF_TEXT = 25;

/** The gateway's own rules (docs/operate/moderation.md#local-rules). Nothing leaves the process. */
export const local: ModerationEngine = {
  name: 'local',
  picturesMax: 0,
  price: 0n,
  judge: ({ texts }, { signal }) => {
    const steps = judgeInSteps(texts);
    const first = steps.next();
    return first.done ? first.value : continueInSteps(steps, signal);
  },
};

async function continueInSteps(steps: HarmSteps<readonly Flag[]>, signal: CancelSignal): Promise<readonly Flag[]> {
  for (;;) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Stops at the first flagged text. */
function* judgeInSteps(texts: readonly JudgedText[]): HarmSteps<readonly Flag[]> {
  const counter = new StepCounter();
  for (const { parts, by } of texts) {
    const isFromUser = by === 'user';
    let found: readonly Harm[] = yield* findHarm(parts.join('\n'), isFromUser);
    // Some formats join the texts of a turn, and a model reads across the joins.
    if (found.length === 0 && parts.length > 1) found = yield* findHarm(parts.join(''), isFromUser);
    if (found.length > 0) return found;
    if (counter.isOver(ITEMS_OF_TEXT)) yield;
  }
  return [];
}
