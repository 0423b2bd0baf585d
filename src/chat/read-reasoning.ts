import type { Origin, RedactedThinkingBlock, ThinkingBlock } from '../core/conversation/content.js';
import { REASONING_FORMAT } from './reasoning-format.js';
import type { WireReasoningDetail } from './schemas/messages.js';

type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

/** Names of no vendor's format: what was signed under them was signed by the one vendor that signs text. */
const OWN_FORMATS: ReadonlySet<unknown> = new Set([REASONING_FORMAT, 'unknown', '', null, undefined]);

/**
 * The reasoning of an assistant message, in its order: with signatures as they were told, so that the vendor that made
 * them takes them back (docs/reasons/translation.md#reasoning-told-once). What another vendor signed or sealed is
 * marked as foreign, and targets leave it out.
 */
export function readReasoning(
  details: readonly WireReasoningDetail[] | null | undefined,
  plain: string | null | undefined,
): ReasoningBlock[] {
  // The details say all that the plain text does.
  if (details && details.length > 0) return joined(details).flatMap((detail) => readDetail(detail) ?? []);
  return plain ? [{ type: 'thinking', thinking: plain }] : [];
}

/** Some clients hand back the pieces of a stream as they came: those of one index are one text. */
function joined(details: readonly WireReasoningDetail[]): WireReasoningDetail[] {
  const whole: WireReasoningDetail[] = [];
  for (const detail of details) {
    const last = whole.at(-1);
    if (last && continues(last, detail)) {
      whole[whole.length - 1] = {
        ...last,
        text: (last.text ?? '') + (detail.text ?? ''),
        signature: detail.signature ?? null,
        format: last.format ?? detail.format ?? null,
      };
    } else {
      whole.push(detail);
    }
  }
  return whole;
}

function continues(last: WireReasoningDetail, next: WireReasoningDetail): boolean {
  if (last.type !== 'reasoning.text' || next.type !== 'reasoning.text' || last.signature) return false;
  const index = indexOf(next);
  return index !== undefined && index === indexOf(last);
}

function indexOf(detail: object): unknown {
  return (detail as { index?: unknown }).index ?? undefined;
}

function readDetail(detail: WireReasoningDetail): ReasoningBlock | undefined {
  const { type, text, summary, data, signature, format } = detail;
  const foreign: Origin = { vendor: 'openai', value: detail };
  const origin = OWN_FORMATS.has(format) ? undefined : { origin: foreign };
  switch (type) {
    case 'reasoning.text':
      return { type: 'thinking', thinking: text ?? '', ...(signature && { signature }), ...origin };
    case 'reasoning.summary':
      // Nobody signs a summary: it is shown to those who want reasoning back as plain text.
      return summary ? { type: 'thinking', thinking: summary, origin: foreign } : undefined;
    case 'reasoning.encrypted':
      return data ? { type: 'redacted-thinking', data, ...origin } : undefined;
    default:
      return undefined;
  }
}
