import { findHarm, type Harm, type HarmSteps } from '../../core/moderation/find-harm.js';
import { StepCounter } from '../../core/steps.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import type { CancelSignal } from '../../core/cancellation.js';
import type { Flag, JudgedText, ModerationEngine } from './engine.js';

/** Of short texts, one costs as much as so many of the small things that a step has hundreds of. */
const ITEMS_OF_TEXT = 25;

/** The gateway's own rules (docs/moderation.md#local-rules). Nothing leaves the process. */
export const local: ModerationEngine = {
  name: 'local',
  picturesMax: 0,
  price: 0n,
  judge: ({ texts }, { signal }) => {
    const steps = judgeInSteps(texts);
    const first = steps.next();
    return first.done ? first.value : goOn(steps, signal);
  },
};

async function goOn(steps: HarmSteps<readonly Flag[]>, signal: CancelSignal): Promise<readonly Flag[]> {
  for (;;) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Up to the first text that is flagged. */
function* judgeInSteps(texts: readonly JudgedText[]): HarmSteps<readonly Flag[]> {
  const counter = new StepCounter();
  for (const { parts, by } of texts) {
    const isAsked = by === 'user';
    let found: readonly Harm[] = yield* findHarm(parts.join('\n'), isAsked);
    // Some formats put the texts of a turn together, and a model reads on.
    if (found.length === 0 && parts.length > 1) found = yield* findHarm(parts.join(''), isAsked);
    if (found.length > 0) return found;
    if (counter.isOver(ITEMS_OF_TEXT)) yield;
  }
  return [];
}
