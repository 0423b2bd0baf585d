import { inWordsOf, type FieldNames } from '../conversation/field-names.js';
import { GatewayError, type ErrorKind } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import { printWarning } from '../warning.js';
import { AVAILABILITY_CODES, availabilityCode, EXCLUSION_MEANINGS, type AvailabilityCode } from './availability.js';
import type { Exclusion, LengthLimits, Plan, UnknownProvider } from './plan.js';
import type { ForbiddenReason } from './rules.js';
import { unknownProviderWarning } from './unknown-providers.js';

const EXCLUSIONS_SHOWN_MAX = 20;
const PROVIDERS_SHOWN_MAX = 20;
const MODELS_SHOWN_MAX = 20;
/** Model ids may be arbitrary text from the caller. */
export const MODEL_SHOWN_CHARACTERS_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 600;
export const DOCS_URL = '/docs';
const MS_PER_SECOND = 1_000;
const RETRY_MS_MIN = 1;

const KINDS: Readonly<Record<AvailabilityCode, ErrorKind>> = {
  model_not_found: 'not-found',
  no_endpoints: 'not-found',
  constraint_filtered: 'not-found',
  privacy_restricted: 'not-found',
  temporarily_unavailable: 'unavailable',
  capacity_exhausted: 'rate-limited',
};

/**
 * The error for a plan without legs: which rule excluded which endpoint, and whether waiting helps
 * (docs/use/errors.md#availability). Where at least one candidate only cools down: 429 if every pause was requested by
 * its provider, else 503, with the end of the first pause (docs/use/routing.md#health).
 * @param now epoch milliseconds
 * @param names the caller's names of fields
 */
export function noRouteError(made: Plan, now: number, names?: FieldNames): GatewayError {
  if (made.tooLong) return tooLongError(made.tooLong);
  const plan = { ...made, excluded: withoutTiers(made.excluded) };
  const paused = plan.excluded.flatMap(({ cooling }) => cooling ?? []);
  const code = codeOf(plan);
  const availability = { code, requested_models: requestedModels(plan), docs_url: DOCS_URL };
  const metadata = { excluded: plan.excluded.slice(0, EXCLUSIONS_SHOWN_MAX).map(viewExclusion) };
  if (paused.length === 0) {
    const reasons = { retryable: false, ...availability, ...viewReasons(plan, code, names) };
    const { unknownProviders } = plan;
    return new GatewayError(KINDS[code], describe(plan), {
      metadata: unknownProviders ? { ...metadata, unknown_providers: unknownProviders.map(viewUnknown) } : metadata,
      availability: reasons,
    });
  }
  const retryAfterMs = Math.max(RETRY_MS_MIN, Math.min(...paused.map(({ until }) => until)) - now);
  const retryAfterSeconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
  const models = namesOf(plan);
  const message = `Every endpoint of ${models} that may be used is cooling down; try again in ${retryAfterSeconds} s.`;
  return new GatewayError(KINDS[code], shorten(message), {
    metadata,
    retryAfterMs,
    availability: {
      retryable: true,
      ...availability,
      retry_after: retryAfterSeconds,
      ...viewReasons(plan, code, names),
    },
  });
}

/** Client programs detect by this wording that they have to shorten the prompt (docs/use/errors.md#too-long). */
export function tooLongError({
  prompt,
  context,
  output,
  outputField,
  outputMax,
  outputLeft,
}: LengthLimits): GatewayError {
  if (prompt > context || outputLeft < 1)
    return new GatewayError('context-too-long', `prompt is too long: ${prompt} tokens > ${context} maximum`);
  if (output > outputMax) {
    const message = `${outputField}: ${output} > ${outputMax}, the maximum number of output tokens`;
    return new GatewayError('invalid-request', message, { errorType: 'max_tokens_exceeded' });
  }
  const message = `${outputField}: ${output} with a prompt of ${prompt} tokens is more than the context has; send at most ${outputLeft}`;
  return new GatewayError('context-too-long', message);
}

/**
 * The error for a request whose models are all forbidden by policies. This is decided before money is checked
 * (docs/use/limits.md#the-order-of-checks).
 * @returns undefined where at least one model is allowed
 */
export function forbiddenModels(plan: Plan): GatewayError | undefined {
  const byReason = FORBIDDEN_REASONS.map((by): readonly [ForbiddenReason, readonly string[]] => [
    by,
    plan.excluded.filter(({ reason }) => reason === by).map(({ model }) => model),
  ]).filter(([, models]) => models.length > 0);
  const [first] = byReason;
  if (!first || byReason.flatMap(([, models]) => models).length < plan.models.length) return undefined;
  const message = byReason.map(([reason, models]) => forbiddenClause(reason, models)).join(' ');
  return forbiddenError(first[0], shorten(message), requestedModels(plan));
}

/** The source that forbids a model: as a text for the caller, and as a code for programs. */
const FORBIDDERS: Readonly<Record<ForbiddenReason, { readonly words: string; readonly source: string }>> = {
  'model-not-for-key': { words: 'The allowed_models of this key do not have', source: 'key_allowed_models' },
  'model-not-allowed': { words: 'A guardrail of this key does not allow', source: 'guardrail' },
};
const FORBIDDEN_REASONS = Object.keys(FORBIDDERS) as ForbiddenReason[];

export const forbiddenClause = (reason: ForbiddenReason, models: readonly string[]): string =>
  `${FORBIDDERS[reason].words} ${models.join(', ')}.`;

/** @param models ids, for programs */
export const forbiddenError = (reason: ForbiddenReason, message: string, models: readonly string[]): GatewayError =>
  new GatewayError('forbidden', message, { metadata: { limit_source: FORBIDDERS[reason].source, models } });

/**
 * Pauses take precedence; a single pause without a 429 makes the whole answer a 503. Otherwise the code furthest down
 * the table decides.
 */
function codeOf({ excluded }: Plan): AvailabilityCode {
  const codes = new Set(excluded.map(availabilityCode));
  if (codes.has('temporarily_unavailable')) return 'temporarily_unavailable';
  return AVAILABILITY_CODES.findLast((code) => codes.has(code)) ?? 'no_endpoints';
}

const requestedModels = ({ models, excluded }: Plan): readonly string[] =>
  [...new Set([...models, ...excluded.filter(({ tag }) => tag === undefined).map(({ model }) => model)])]
    .slice(0, MODELS_SHOWN_MAX)
    .map((model) => model.slice(0, MODEL_SHOWN_CHARACTERS_MAX));

function viewReasons({ excluded }: Plan, code: AvailabilityCode, names: FieldNames | undefined): JsonObject {
  const excludedBy = distinct(excluded.map(({ reason }) => EXCLUSION_MEANINGS[reason].excludedBy));
  const providers = distinct(excluded.map(({ provider }) => provider)).slice(0, PROVIDERS_SHOWN_MAX);
  const deciding = excluded.find(
    (exclusion) => availabilityCode(exclusion) === code && EXCLUSION_MEANINGS[exclusion.reason].field,
  );
  return {
    ...(excludedBy.length > 0 && { excluded_by: excludedBy }),
    ...(providers.length > 0 && { affected_providers: providers }),
    ...(deciding && { constraint: viewConstraint(deciding, names) }),
  };
}

function viewConstraint({ reason, detail }: Exclusion, names: FieldNames | undefined): JsonObject {
  const { field, words } = EXCLUSION_MEANINGS[reason];
  return { ...(field !== undefined && { field: inWordsOf(names, field) }), detail: detail ?? words };
}

function viewExclusion({ model, tag, provider, reason, detail }: Exclusion): JsonObject {
  return {
    model: model.slice(0, MODEL_SHOWN_CHARACTERS_MAX),
    ...(provider !== undefined && { provider }),
    ...(tag !== undefined && { tag }),
    reason,
    ...(detail !== undefined && { detail }),
  };
}

/** Omits the tiers that were not requested, unless no other reason exists. */
function withoutTiers(excluded: readonly Exclusion[]): readonly Exclusion[] {
  const others = excluded.filter(({ reason }) => reason !== 'service-tier');
  return others.length > 0 ? others : excluded;
}

function describe(plan: Plan): string {
  const clauses = distinct(plan.excluded.filter(({ reason }) => reason !== 'service-tier').map(clauseOf));
  const unknown = (plan.unknownProviders ?? [])
    .map((provider) => `${printWarning(unknownProviderWarning(provider))}. `)
    .join('');
  // Causes that can be corrected immediately come first: the rest may be cut.
  const sentence = `${unknown}No endpoint of ${namesOf(plan)} is left`;
  const help = credentialHelp(plan);
  const whole = clauses.length === 0 ? `${sentence}.` : `${sentence}: ${clauses.join(', ')}.`;
  return shorten(whole, MESSAGE_CHARACTERS_MAX - help.length) + help;
}

/** The remedy where no credential exists: the variable that the catalog names, or a credential of the caller's own. */
function credentialHelp({ excluded }: Plan): string {
  const missing = excluded.filter(({ reason }) => reason === 'no-credential');
  if (missing.length === 0) return '';
  return missing.some(({ detail }) => detail !== undefined)
    ? ' Set the variable of one of them where the gateway runs, or store a credential of your own by POST /byok.'
    : ' Store a credential of your own by POST /byok.';
}

const viewUnknown = ({ field, name, nearest }: UnknownProvider): JsonObject => ({ field, name, nearest });

function clauseOf({ model, tag, reason, detail }: Exclusion): string {
  const { words } = EXCLUSION_MEANINGS[reason];
  const name = tag ?? model.slice(0, MODEL_SHOWN_CHARACTERS_MAX);
  return detail === undefined ? `${name} ${words}` : `${name} ${words} (${detail})`;
}

const namesOf = ({ models }: Plan): string => models.join(' or ');

const shorten = (message: string, max = MESSAGE_CHARACTERS_MAX): string =>
  message.length <= max ? message : `${message.slice(0, max - 1)}…`;

const distinct = (texts: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(texts)].filter((text) => text !== undefined);
