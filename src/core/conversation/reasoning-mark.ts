/** What Anthropic's models sign or seal, on whichever platform (docs/wire/chat.md#reasoning-details). */
export const ANTHROPIC_REASONING = 'anthropic-claude-v1';

/** What models seal that answer in OpenAI's responses format; who sealed it says the provider. */
export const RESPONSES_REASONING = 'openai-responses-v1';

/** What tools brought that this gateway ran, sealed: it goes with the reasoning, but is told to no provider as such. */
export const GATEWAY_TOOLS = 'fairlead-tools-v1';
/** What seals of this gateway begin with, whatever they are told as: the form of a later one has another number. */
export const SEAL_PREFIX = 'fl1.';

/** The name where the provider gives none. */
export const UNNAMED_REASONING = 'unknown';

/**
 * What a chat upstream says of a piece of reasoning besides its words: whoever made it needs that to read it again.
 * Reasoning without a mark is Anthropic's, or nobody's where it is not signed.
 */
export interface ReasoningMark {
  /** Whose reasoning it is, in the words of `reasoning_details`. */
  readonly format: string;
  /** Slug of the provider that told it; absent: nobody says. */
  readonly provider?: string;
  /** The provider's own id of it. */
  readonly id?: string;
  /** It was told as a summary. */
  readonly isSummary?: boolean;
  /** It seals the text in front of it, and holds for that alone. */
  readonly isOfText?: boolean;
}

/** Whether the reasoning may be shown to Anthropic's models, which take their own back from every platform. */
export const isAnthropicReasoning = (mark: ReasoningMark | undefined): boolean =>
  mark === undefined ||
  mark.format === ANTHROPIC_REASONING ||
  (mark.format === UNNAMED_REASONING && mark.provider === undefined && mark.isSummary !== true);
