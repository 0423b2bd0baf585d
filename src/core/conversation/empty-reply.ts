import { isCommitting, type ModelEvent, type UnifiedStop } from './event.js';
import type { ModelRequest } from './request.js';

/** Whether a stop explains an empty reply. `perhaps`: where the model has worked, or has nothing to add. */
type Explanation = boolean | 'perhaps';

/**
 * By the reason that a provider gives (docs/use/choosing-providers.md#empty-answers). A call of a tool without a call
 * is the end of a turn before it comes here.
 */
const EXPLAINS: Readonly<Record<UnifiedStop, Explanation>> = {
  'end-turn': 'perhaps',
  'tool-use': 'perhaps',
  'output-limit': true,
  'context-limit': true,
  'stop-sequence': true,
  pause: true,
  refusal: true,
  'content-filter': true,
  compaction: true,
  computed: true,
  other: false,
};

/** Whether an event has a part of the answer: content other than reasoning. */
export function holdsAnswer(event: ModelEvent): boolean {
  switch (event.type) {
    case 'block-delta':
      return event.delta.type !== 'thinking' && event.delta.type !== 'signature' && isCommitting(event);
    case 'block-start':
      return event.block.type !== 'redacted-thinking' && isCommitting(event);
    default:
      return false;
  }
}

/**
 * Whether a reply that has ended is empty without an explanation: it is no answer, whatever its status. Reasoning alone
 * is an answer only where the model ended its turn.
 * @param events from its start on
 */
export function isEmptyReply(events: readonly ModelEvent[], request: ModelRequest): boolean {
  let outputTokens = 0;
  let hasReasoning = false;
  for (const event of events) {
    if (event.type === 'usage') outputTokens = event.usage.outputTokens ?? 0;
    if (event.type !== 'reply-end') {
      if (holdsAnswer(event)) return false;
      hasReasoning ||= isCommitting(event);
      continue;
    }
    const { unified, raw } = event.stop;
    const explanation = EXPLAINS[unified];
    if (explanation !== 'perhaps') return !explanation;
    // Output tokens without content are those of a turn that the model ended by itself.
    return raw === null || !(hasReasoning || outputTokens > 0 || mayAnswerNothing(request));
  }
  return false;
}

/**
 * Whether a model that ends its turn at once has done what the request leaves to it: after results of tools, and after
 * text that begins its answer, nothing may be left to add, and one token may be the end of the turn
 * (platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, read 2026-11-29).
 */
function mayAnswerNothing({ messages, maxOutputTokens }: ModelRequest): boolean {
  const last = messages.findLast(({ role }) => role !== 'system');
  return maxOutputTokens === 1 || last?.role !== 'user' || last.content.some(({ type }) => type === 'tool-result');
}
