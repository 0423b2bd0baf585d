import { EFFORTS, type Effort } from '../../core/conversation/effort.js';
import type { Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { isEmptyJson, isJsonObject, type Json, type Vendor } from '../../core/json/json.js';
import type { Dialect, Target } from '../../core/provider.js';
import { lostFields } from '../dialects/encode-context.js';
import { carries } from '../dialects/encode-fields.js';
import { claudeRulesOf, type ClaudeRules } from '../model-rules/claude-models.js';

const VENDOR: Vendor = 'anthropic';
const NONE: readonly never[] = [];
const EFFORT_FIELD = 'output_config';

/** A field of turns of instructions alone. */
interface TurnField {
  /** Without it the field is an unknown one. */
  readonly beta: string;
  readonly takes: (value: Json, rules: ClaudeRules) => boolean;
  /** Whether the clouds take it. */
  readonly isAtClouds: boolean;
  /** Whether the turn may have any position and no content. */
  readonly isAnywhere: boolean;
}

/**
 * Fields of single turns that not every model takes, both only on turns of instructions. Read 2026-11-29:
 * `BetaSystemMessageParam` of @anthropic-ai/sdk 1.12.0;
 * platform.claude.com/docs/en/build-with-claude/effort-per-message; none with `between_tools`:
 * models/sonnet-5-5/whats-new-sonnet-5-5.
 */
const RULES: ReadonlyMap<string, TurnField> = new Map<string, TurnField>([
  [
    EFFORT_FIELD,
    {
      beta: 'mid-conversation-output-config-2026-07-01',
      takes: (value, { turnEfforts, efforts }) =>
        turnEfforts && isJsonObject(value) && isTaken(value['effort'], efforts),
      isAtClouds: true,
      isAnywhere: true,
    },
  ],
  [
    'clear_at',
    { beta: 'mid-conversation-system-clear-at-2026-08-21', takes: () => true, isAtClouds: false, isAnywhere: false },
  ],
]);

const isTaken = (effort: Json | undefined, efforts: ClaudeRules['efforts']): boolean =>
  isEmptyJson(effort) || (efforts as readonly (Json | undefined)[]).includes(effort);

/**
 * Whether an unmodelled field of a turn reaches the target. The vendor's own address receives all of them, since it may
 * know newer ones; the clouds refuse unknown fields.
 */
function takesField(field: string, index: number, { messages, thinking }: ModelRequest, target: Target): boolean {
  const { extras, role, content } = messages[index]!;
  const rule = RULES.get(field);
  if (rule?.isAtClouds !== true && (target.endpoint.provider.platform ?? 'direct') !== 'direct') return false;
  const rules = claudeRulesOf(target);
  if (role !== 'system') return rule === undefined;
  // Elsewhere instructions are in a turn of the user.
  if (rules === undefined || !rules.systemTurns) return false;
  if (field === EFFORT_FIELD && thinking?.type === 'disabled' && rules.off === 'between_tools') return false;
  const isInPlace = messages[index - 1]?.role === 'user' && (messages[index + 1]?.role ?? 'assistant') === 'assistant';
  if (rule?.isAnywhere !== true && (content.length === 0 || !isInPlace)) return false;
  return rule === undefined || rule.takes(extras!.value[field] ?? null, rules);
}

/**
 * The request with the fields of turns that the target takes, and with the betas that they need. Where a target takes
 * no efforts of turns, the effort that they set for the answer becomes that of the request.
 */
export function withTakenTurnFields(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  if (vendor !== VENDOR) return withEffortOfAnswer(request);
  const betas = new Set(request.betas);
  let isEffortDropped = false;
  const messages = request.messages.map((message, index) => {
    const { extras, origin } = message;
    if (extras === undefined || origin?.vendor !== VENDOR) return message;
    const gone = Object.keys(extras.value).filter((field) => !takesField(field, index, request, target));
    isEffortDropped ||= gone.includes(EFFORT_FIELD);
    const value = Object.fromEntries(Object.entries(origin.value).filter(([field]) => !gone.includes(field)));
    for (const [field, { beta }] of RULES) if (!isEmptyJson(value[field])) betas.add(beta);
    return gone.length === 0 ? message : { ...message, origin: { vendor: VENDOR, value } };
  });
  const taken = { ...request, messages, betas: [...betas] };
  return isEffortDropped ? withEffortOfAnswer(taken) : taken;
}

function withEffortOfAnswer(request: ModelRequest): ModelRequest {
  const effort = effortOfAnswer(request.messages);
  if (effort === undefined) return request;
  const { outputOrigin, ...rest } = request;
  if (outputOrigin === undefined) return { ...rest, effort };
  return { ...rest, effort, outputOrigin: { ...outputOrigin, value: { ...outputOrigin.value, effort } } };
}

/**
 * The effort that turns of instructions set for the answer. Behind new input of the user it applies at once, elsewhere
 * from the next input on. Results of tools are no new input (the page on efforts of turns).
 */
function effortOfAnswer(messages: readonly Message[]): Effort | undefined {
  let current: Effort | undefined;
  let awaited: Effort | undefined;
  let isBehindInput = false;
  for (const { role, content, extras } of messages) {
    if (role === 'system') {
      const effort = effortIn(extras?.value[EFFORT_FIELD]);
      if (effort === undefined) continue;
      if (isBehindInput) current = effort;
      else awaited = effort;
      continue;
    }
    isBehindInput = role === 'user' && content.some(({ type }) => type !== 'tool-result');
    if (!isBehindInput) continue;
    current = awaited ?? current;
    awaited = undefined;
  }
  return current;
}

const effortIn = (value: Json | undefined): Effort | undefined =>
  isJsonObject(value) ? EFFORTS.find((effort) => effort === value['effort']) : undefined;

/** Names of the turn fields that are not sent to the target and have no replacement: `messages.clear_at`. */
export function droppedTurnFields(request: ModelRequest, target: Target, dialect: Dialect): readonly string[] {
  const { messages } = request;
  if (!traitsOf(messages).hasExtras) return NONE;
  const isVendors = dialect.vendor === VENDOR;
  const dropped = messages.flatMap(({ extras, origin }, index) =>
    Object.entries(extras?.value ?? {})
      .filter(([, value]) => !isEmptyJson(value))
      .filter(([field]) => !isVendors || !origin || !takesField(field, index, request, target))
      .map(([field]) => field),
  );
  const isEffortSent = dropped.includes(EFFORT_FIELD) && sendsEffort(request, target, dialect);
  return dropped.filter((field) => field !== EFFORT_FIELD || !isEffortSent).map((field) => `messages.${field}`);
}

/** Whether the effort that turns set for the answer reaches the target as that of the request. */
function sendsEffort(request: ModelRequest, target: Target, { table }: Dialect): boolean {
  const fitted = withEffortOfAnswer(request);
  if (fitted === request || !carries(table, 'reasoning_effort', target)) return false;
  return !lostFields(fitted, target, table).includes('reasoning_effort');
}
