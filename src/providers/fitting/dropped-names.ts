import { namesOfPresent, requiredFields } from '../../core/conversation/present-fields.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Platform } from '../../core/platform.js';
import type { Dialect, Target } from '../../core/provider.js';
import { droppedOptions, pricedOptions } from '../../core/routing/priced-options.js';
import { shortened } from '../../core/shortened.js';
import type { RequestField, ThinkingMeasure } from '../../core/translation.js';
import { lostFields } from '../dialects/encode-context.js';
import { carries } from '../dialects/encode-fields.js';
import { weakerBounds } from '../dialects/schemas/weaker-bounds.js';
import { droppedBetaFields } from './fit-betas.js';
import { droppedMembers, unmetMembers } from './fit-members.js';
import { dropsStops } from './fit-stops.js';
import { droppedTurnFields } from './fit-turn-fields.js';
import { DROPPED_NAMED_MAX, droppedFields } from './undeclared-fields.js';

/** Functions that print a call for a target, and adapt it to the target's platform. */
interface Access {
  readonly dialect: Dialect;
  readonly platform: Platform;
}

const NONE: readonly never[] = [];

/**
 * Names of what a call omits of a request: fields without a location in the dialect or platform, values with a price of
 * their own, betas, undeclared fields and members, and bounds that are not enforced
 * (docs/use/routing-metadata.md#what-was-dropped).
 */
export function droppedNames(request: ModelRequest, target: Target, access: Access): readonly string[] {
  const { dialect, platform } = access;
  if (request.task) return dialect.tasks?.[request.task.kind]?.dropped?.(request, target) ?? NONE;
  const names = [
    ...droppedOptions(pricedOptions(request), target),
    ...namesOfPresent(request, dropsField(request, target, access)),
    ...droppedMeasure(request, target, access),
    ...request.betas.filter((beta) => platform.carriesBeta?.(beta, target) === false),
    ...droppedBetaFields(request, target),
    ...droppedTurnFields(request, target, dialect),
    ...droppedMembers(request, target, dialect.vendor),
    ...droppedFields(request, target, dialect.vendor),
    ...droppedBounds(request, target, access),
  ];
  return names.length === 0 ? NONE : [...new Set(names.map(shortened))].slice(0, DROPPED_NAMED_MAX);
}

/**
 * The first of these names that keeps a request with `require_parameters` from being sent; undefined where none does.
 * Priced values and undeclared fields do not count: they have rules of their own.
 */
export function firstUnmet(request: ModelRequest, target: Target, access: Access): string | undefined {
  if (request.task) return droppedNames(request, target, access)[0];
  const required = requiredFields(request);
  const drops = dropsField(request, target, access);
  const [first] = [
    ...namesOfPresent(request, (field) => required.includes(field) && drops(field)),
    ...droppedMeasure(request, target, access),
    ...droppedBetaFields(request, target),
    ...droppedTurnFields(request, target, access.dialect),
    ...unmetMembers(request, target, access.dialect.vendor),
    ...droppedBounds(request, target, access),
  ];
  return first === undefined ? undefined : shortened(first);
}

function dropsField(
  request: ModelRequest,
  target: Target,
  { dialect: { table }, platform }: Access,
): (field: RequestField) => boolean {
  const lost = lostFields(request, target, table);
  const isCarried = (field: RequestField): boolean =>
    platform.carries?.(field, target) ?? (carries(table, field, target) && !lost.includes(field));
  return (field) =>
    !isCarried(field) ||
    (field === 'stop' && dropsStops(request, target)) ||
    (field === 'tool_choice' && forcesNothing(request));
}

/** A choice among no tools is sent in no format; one that leaves it to the model asks for nothing. */
const forcesNothing = ({ tools, toolChoice }: ModelRequest): boolean =>
  tools.length === 0 && toolChoice?.type === 'any';

const MEASURE_NAMES: Readonly<Record<ThinkingMeasure, string>> = {
  budget: 'thinking.budget_tokens',
  effort: 'output_config.effort',
};

/** The one of a budget and an effort for thinking that is dropped, because the other, or a switch, represents it. */
function droppedMeasure({ thinking, effort }: ModelRequest, target: Target, { dialect }: Access): readonly string[] {
  if (thinking?.type !== 'enabled' || effort === undefined || effort === 'none') return NONE;
  const { table } = dialect;
  const left = table.unsentThinkingField?.(target);
  const isSent = carries(table, 'reasoning', target) && carries(table, 'reasoning_effort', target);
  if (left === undefined || !isSent) return NONE;
  return left === 'both' ? Object.values(MEASURE_NAMES) : [MEASURE_NAMES[left]];
}

const droppedBounds = (request: ModelRequest, target: Target, { dialect }: Access): readonly string[] =>
  request.tools.length > 0 || request.outputFormat !== undefined ? weakerBounds(request, target, dialect) : NONE;
