import { createHash } from 'node:crypto';
import type { ModelRequest, Verbosity } from '../../core/conversation/request.js';
import {
  allowedBy,
  typeOf,
  type FunctionTool,
  type ToolChoice,
  type VendorTool,
} from '../../core/conversation/tools.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { matchesOneToolName } from '../../core/tool.js';
import type { EncodeContext } from './encode-context.js';
import { NAMES_ALLOWED_TOOLS } from './rules.js';
import { sentChoice } from './sent-tools.js';
import type { TierParameters } from './service-tier.js';

/* Fields with the same meaning in both of OpenAI's formats, chat completions and responses. */

/** Longest `user` that OpenAI takes. */
const USER_MAX = 64;

/** A schema of the answer must have a name, of `^[a-zA-Z0-9_-]{1,64}$`. */
const DEFAULT_FORMAT_NAME = 'reply';
const FORMAT_NAME_MAX = 64;
const FOREIGN_TO_NAMES = /[^\w-]/g;

/** The name of a schema as OpenAI takes it. */
export const formatName = (name: string | undefined): string =>
  name === undefined || name === ''
    ? DEFAULT_FORMAT_NAME
    : name.replace(FOREIGN_TO_NAMES, '_').slice(0, FORMAT_NAME_MAX);

/** These formats' names for other formats' tiers; other values are sent unchanged. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  fast: 'priority',
  standard: 'default',
  standard_only: 'default',
};

/** The formats have three levels. */
export const VERBOSITY_WORDS: Readonly<Record<Verbosity, string>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** The end user, for abuse reports. */
export function userField(request: ModelRequest): { user?: string } {
  // OpenAI's own metadata has no key for the end user.
  const named = request.metadata?.vendor === 'anthropic' ? request.metadata.value['user_id'] : undefined;
  const user = request.user ?? (typeof named === 'string' ? named : undefined);
  if (user === undefined || user === '') return {};
  // A longer one would fail the call; its hash still groups the reports of one user.
  return { user: user.length <= USER_MAX ? user : createHash('sha256').update(user).digest('hex') };
}

/** The service tier of the call. */
export function serviceTierField({ serviceTier, speed }: TierParameters): { service_tier?: string } {
  const tier = serviceTier ?? speed;
  if (tier === undefined) return {};
  return { service_tier: Object.hasOwn(SERVICE_TIERS, tier) ? SERVICE_TIERS[tier]! : tier };
}

/**
 * The choice among tools, and whether several may be called at once.
 * @param sent the tools that are sent
 * @param format the format's form of choices that are no single word
 */
export function choiceFields(
  context: EncodeContext,
  sent: readonly (FunctionTool | VendorTool)[],
  format: ChoiceFormat,
): { tool_choice?: Json; parallel_tool_calls?: boolean } {
  const { parallelToolCalls } = context.request;
  const choice = sentChoice(context);
  return {
    ...(choice !== undefined && { tool_choice: wireChoice(choice, sent, context, format) }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** The form of choices that are no single word, in one of OpenAI's formats. */
export interface ChoiceFormat {
  /** One tool: a function by its name, a tool of the vendor's own by its type. */
  readonly named: (name: string, vendorTool?: VendorTool) => JsonObject;
  /** A choice among some of the tools. */
  readonly among: (mode: string, tools: readonly JsonObject[]) => JsonObject;
}

function wireChoice(
  choice: ToolChoice,
  sent: readonly (FunctionTool | VendorTool)[],
  context: EncodeContext,
  { named, among }: ChoiceFormat,
): Json {
  const { names, target } = context;
  if (choice.type === 'tool') return named(names.toWire(choice.name), choice.vendorTool);
  const word = CHOICE_WORDS[choice.type];
  const allowed = NAMES_ALLOWED_TOOLS.holds(target) ? allowedBy(choice) : undefined;
  if (!allowed) return word;
  const allowedNames = new Set(allowed);
  const left = sent.filter((tool) => matchesOneToolName(tool, allowedNames));
  return among(
    word,
    left.map((tool) =>
      named(names.toWire(tool.name ?? typeOf(tool as VendorTool)), tool.type === 'vendor' ? tool : undefined),
    ),
  );
}

const CHOICE_WORDS = { auto: 'auto', any: 'required', none: 'none' } as const;
