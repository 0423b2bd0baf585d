/**
 * Format of reasoning that Anthropic's models sign or encrypt, on any platform (docs/use/chat.md#reasoning-details).
 */
export const ANTHROPIC_REASONING = 'anthropic-claude-v1';

/**
 * Format of reasoning that models encrypt in OpenAI's responses format. `provider` names the provider that encrypted
 * it.
 */
export const RESPONSES_REASONING = 'openai-responses-v1';

/**
 * Sealed results of tools that this gateway ran: they are kept with the reasoning, and sent to no provider as such.
 */
export const GATEWAY_TOOLS = 'fairlead-tools-v1';
/** The prefix of this gateway's seals, in every form they take: a later version of the format has another number. */
export const SEAL_PREFIX = 'fl1.';

/** The format where the provider names none. */
export const UNNAMED_REASONING = 'unknown';

/**
 * Metadata of a piece of reasoning from a chat upstream, which the upstream requires in order to read the piece again.
 * Reasoning without a mark is Anthropic's, or of unknown origin where it is not signed.
 */
export interface ReasoningMark {
  /** The format of the reasoning, as in `reasoning_details`. */
  readonly format: string;
  /** Slug of the provider that emitted it; absent: unknown. */
  readonly provider?: string;
  /** The provider's id of the reasoning. */
  readonly id?: string;
  /** Whether the reasoning was emitted as a summary. */
  readonly isSummary?: boolean;
  /** Whether the mark seals the text before it, and is valid for that text alone. */
  readonly isOfText?: boolean;
}

/** Whether the reasoning may be sent to Anthropic's models, which accept their own back from every platform. */
export const isAnthropicReasoning = (mark: ReasoningMark | undefined): boolean =>
  mark === undefined ||
  mark.format === ANTHROPIC_REASONING ||
  (mark.format === UNNAMED_REASONING && mark.provider === undefined && mark.isSummary !== true);
