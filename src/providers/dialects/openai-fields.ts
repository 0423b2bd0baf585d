import { createHash } from 'node:crypto';
import type { ModelRequest, Verbosity } from '../../core/conversation/request.js';
import type { VendorTool } from '../../core/conversation/tools.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { EncodeContext } from './encode-context.js';
import { sentChoice } from './sent-tools.js';
import type { TierParameters } from './service-tier.js';

/*
 * What fields mean alike in both of OpenAI's formats, chat completions and responses.
 */

/** Longest `user` that OpenAI takes. */
const USER_MAX = 64;

/** A schema of the answer must have a name. */
export const DEFAULT_FORMAT_NAME = 'reply';

/** What other formats call a tier, in the words of these; other words pass as they are. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  fast: 'priority',
  standard: 'default',
  standard_only: 'default',
};

/** The formats know three. */
export const VERBOSITY_WORDS: Readonly<Record<Verbosity, string>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** Who is asking, for abuse reports. */
export function userField(request: ModelRequest): { user?: string } {
  // Of OpenAI's own metadata no key says who is asking.
  const named = request.metadata?.vendor === 'anthropic' ? request.metadata.value['user_id'] : undefined;
  const user = request.user ?? (typeof named === 'string' ? named : undefined);
  if (user === undefined || user === '') return {};
  // A longer one would fail the call; its hash still groups the reports of one user.
  return { user: user.length <= USER_MAX ? user : createHash('sha256').update(user).digest('hex') };
}

/** How the call is to be served. */
export function serviceTierField({ serviceTier, speed }: TierParameters): { service_tier?: string } {
  const tier = serviceTier ?? speed;
  if (tier === undefined) return {};
  return { service_tier: Object.hasOwn(SERVICE_TIERS, tier) ? SERVICE_TIERS[tier]! : tier };
}

/**
 * The choice among tools, and whether several may be called at once.
 * @param named how one tool is chosen, by its name, or as what it is where it is the vendor's own
 */
export function choiceFields(
  context: EncodeContext,
  named: (name: string, vendorTool?: VendorTool) => JsonObject,
): { tool_choice?: Json; parallel_tool_calls?: boolean } {
  const { parallelToolCalls } = context.request;
  const choice = sentChoice(context);
  return {
    ...(choice !== undefined && {
      tool_choice:
        choice.type === 'tool'
          ? named(context.names.toWire(choice.name), choice.vendorTool)
          : CHOICE_WORDS[choice.type],
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

const CHOICE_WORDS = { auto: 'auto', any: 'required', none: 'none' } as const;
