import type { RedactedThinkingBlock, ThinkingBlock } from '../../core/conversation/content.js';
import {
  GATEWAY_TOOLS,
  isAnthropicReasoning,
  SEAL_PREFIX,
  UNNAMED_REASONING,
  type ReasoningMark,
} from '../../core/conversation/reasoning-mark.js';
import type { WireReasoningDetail } from './schemas/messages.js';

type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

/**
 * The reasoning of an assistant message, in its order: with the signatures as they were sent, so that the vendor that
 * made them accepts them again (docs/contribute/reasons/translation.md#reasoning-appears-once), and with its vendor.
 */
export function readReasoning(
  details: readonly WireReasoningDetail[] | null | undefined,
  plain: string | null | undefined,
): ReasoningBlock[] {
  // The details contain everything that the plain text does.
  if (details && details.length > 0) return joined(details).flatMap((detail) => readDetail(detail) ?? []);
  return plain ? [{ type: 'thinking', thinking: plain }] : [];
}

/** Some clients hand back the pieces of a stream unchanged: those of one index are one text. */
function joined(details: readonly WireReasoningDetail[]): WireReasoningDetail[] {
  const whole: WireReasoningDetail[] = [];
  for (const detail of details) {
    const last = whole.at(-1);
    if (last && continues(last, detail)) {
      whole[whole.length - 1] = {
        ...last,
        text: (last.text ?? '') + (detail.text ?? ''),
        summary: (last.summary ?? '') + (detail.summary ?? ''),
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
  const isWords = last.type === 'reasoning.text' || last.type === 'reasoning.summary';
  if (!isWords || next.type !== last.type || last.signature) return false;
  const index = indexOf(next);
  return index !== undefined && index === indexOf(last);
}

function indexOf(detail: object): unknown {
  return (detail as { index?: unknown }).index ?? undefined;
}

function readDetail(detail: WireReasoningDetail): ReasoningBlock | undefined {
  const { type, text, summary, data, signature } = detail;
  switch (type) {
    case 'reasoning.text':
      return { type: 'thinking', thinking: text ?? '', ...(signature && { signature }), ...markOf(detail) };
    case 'reasoning.summary': {
      if (!summary && !signature) return undefined;
      const mark: ReasoningMark = { format: UNNAMED_REASONING, ...markOf(detail).mark, isSummary: true };
      return { type: 'thinking', thinking: summary ?? '', ...(signature && { signature }), mark };
    }
    case 'reasoning.encrypted':
      return data ? { type: 'redacted-thinking', data, ...markOf(detail) } : undefined;
    default:
      return undefined;
  }
}

/** The mark is empty where the detail identifies its maker only as Anthropic's models. */
function markOf({ format, provider, id, data }: WireReasoningDetail): { mark?: ReasoningMark } {
  if (data?.startsWith(SEAL_PREFIX)) return { mark: { format: GATEWAY_TOOLS } };
  const name = format || UNNAMED_REASONING;
  if (!provider && !id && isAnthropicReasoning({ format: name })) return {};
  return { mark: { format: name, ...(provider && { provider }), ...(id && { id }) } };
}
