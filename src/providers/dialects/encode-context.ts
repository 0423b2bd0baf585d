import type {
  ContentBlock,
  Message,
  TextBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { anthropicMetadata, presentFields, USER_KEY } from '../../core/conversation/present-fields.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { definedOnly } from '../../core/defined.js';
import { Untranslatable } from '../../core/errors.js';
import type { FetchedMedia, Target } from '../../core/provider.js';
import {
  FITTED_FIELDS,
  treatmentOf,
  type BlockForm,
  type Treatment,
  type RequestField,
  type ToolForm,
  type TranslationTable,
} from '../../core/translation.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { carries } from './encode-fields.js';
import { NO_TIER, tierParameters, type TierParameters } from './service-tier.js';
import { hashedId, ToolIds, type ToolIdRule } from './tool-ids.js';
import { mapToolNames, ToolNames, type ToolNameRules } from './tool-names.js';

/** The path of a block of a turn, for errors. */
export type PathOf = (index: number) => string;

/** Limits of a format on the names of tools and the ids of calls. */
export interface NamingRules extends ToolNameRules {
  /** Absent: any id is valid. */
  readonly callIds?: ToolIdRule;
}

/** Chosen: vendors that take any id generate ids of 10 to 30 characters. */
const STAND_IN_LENGTH = 48;
export const ANY_ID: ToolIdRule = { isLegal: () => true, standIn: (text) => hashedId(text, STAND_IN_LENGTH) };

/** The target's names of a request's tools, and ids of their calls. */
export interface ToolWords {
  readonly names: ToolNames;
  readonly ids: ToolIds;
}

/** For a request without tools and calls. */
const NO_TOOL_WORDS: ToolWords = { names: ToolNames.NONE, ids: ToolIds.NONE };

/**
 * Whether a request names tools, or contains calls. If not, `toolWordsOf` is not called: `EncodeContext` takes
 * undefined for its result.
 */
export const namesTools = ({ tools, toolChoice, messages }: ModelRequest): boolean =>
  tools.length > 0 || toolChoice !== undefined || traitsOf(messages).hasToolBlocks;

export function* toolWordsOf(request: ModelRequest, target: Target, rules: NamingRules = {}): Steps<ToolWords> {
  const names = yield* mapToolNames({ request, target }, rules);
  const ids = yield* ToolIds.of(request.messages, rules.callIds ?? ANY_ID);
  return { names, ids };
}

const NONE: readonly RequestField[] = [];
const UNKNOWN_BLOCK = { what: 'a block', within: '' };

/** Removes a field from a request. */
type Without = (request: ModelRequest) => ModelRequest;

const unsampled =
  (member: keyof ModelRequest['sampling']): Without =>
  ({ sampling: { [member]: _dropped, ...sampling }, ...rest }) => ({ ...rest, sampling });

/**
 * Functions that remove one field from a request. Most of these fields are not a single value with a location of its
 * own (`encode-fields.ts`): encoders combine them, and read them from a request without the fields that the table
 * drops. The others are single values that models restrict. Tiers and regions depend on more than the request
 * (`service-tier.ts`).
 */
export const WITHOUT: Readonly<Partial<Record<RequestField, Without>>> = {
  temperature: unsampled('temperature'),
  top_p: unsampled('topP'),
  top_k: unsampled('topK'),
  logprobs: unsampled('logprobs'),
  top_logprobs: unsampled('topLogprobs'),
  system: (request) => ({ ...request, system: [] }),
  max_tokens: ({ maxOutputTokens: _dropped, ...rest }) => rest,
  tools: (request) => ({ ...request, tools: [] }),
  tool_choice: ({ toolChoice: _dropped, ...rest }) => rest,
  parallel_tool_calls: ({ parallelToolCalls: _dropped, toolChoice, ...rest }) => {
    if (toolChoice === undefined) return rest;
    // The choice unchanged would still contain the field.
    const { origin: _origin, ...choice } = toolChoice;
    return { ...rest, toolChoice: choice };
  },
  reasoning: ({ thinking: _dropped, ...rest }) => rest,
  reasoning_effort: ({ effort: _dropped, outputOrigin: _origin, ...rest }) => rest,
  reasoning_summary: ({ reasoningSummary: _dropped, ...rest }) => rest,
  verbosity: ({ verbosity: _dropped, ...rest }) => rest,
  structured_outputs: ({ outputFormat: _dropped, outputOrigin: _origin, ...rest }) => rest,
  response_format: ({ outputFormat: _dropped, outputOrigin: _origin, ...rest }) => rest,
  modalities: ({ modalities: _dropped, ...rest }) => rest,
  image_config: ({ imageConfig: _dropped, ...rest }) => rest,
  task_budget: ({ taskBudget: _dropped, outputOrigin: _origin, ...rest }) => rest,
  context_management: ({ contextManagement: _dropped, ...rest }) => rest,
  cache_control: ({ cacheMarker: _dropped, ...rest }) => rest,
  user: (request) => {
    const { user: _dropped, ...rest } = request;
    const own = anthropicMetadata(request);
    if (own === undefined) return rest;
    const { [USER_KEY]: _user, ...value } = own;
    return { ...rest, metadata: { vendor: 'anthropic', value } };
  },
  metadata: (request) => {
    const user = anthropicMetadata(request)?.[USER_KEY];
    if (user !== undefined) return { ...request, metadata: { vendor: 'anthropic', value: { [USER_KEY]: user } } };
    const { metadata: _dropped, ...rest } = request;
    return rest;
  },
  prompt_cache_key: ({ promptCacheKey: _dropped, ...rest }) => rest,
  betas: (request) => ({ ...request, betas: [] }),
};

/** The request with the fields that the table permits for this target; the same object where it permits all of them. */
function carriedRequest(request: ModelRequest, target: Target, table: TranslationTable<Target>): ModelRequest {
  let carried = request;
  let isFitted = request.toolChoice?.type === 'any' || request.toolChoice?.type === 'tool';
  for (const field of presentFields(request)) {
    const without = WITHOUT[field];
    if (without === undefined) continue;
    if (!carries(table, field, target)) carried = without(carried);
    else isFitted ||= FITTED_FIELDS.has(field);
  }
  return isFitted && table.fit !== undefined ? table.fit(carried, target).request : carried;
}

/** The fields that the table permits but that do not reach the model. */
export function lostFields(
  request: ModelRequest,
  target: Target,
  table: TranslationTable<Target>,
): readonly RequestField[] {
  if (table.fit === undefined) return NONE;
  const fitted = presentFields(request).filter((field) => FITTED_FIELDS.has(field) || field === 'tool_choice');
  if (fitted.length === 0) return NONE;
  const without = (rest: ModelRequest, field: RequestField): ModelRequest =>
    carries(table, field, target) ? rest : WITHOUT[field]!(rest);
  return table.fit(fitted.reduce(without, request), target).dropped;
}

/** State of the encoding of one request for a target, common to all dialects. One per attempt. */
export class EncodeContext {
  /** The target's names for all requested tools; the decoder maps them back. */
  readonly names: ToolNames;
  private readonly ids: ToolIds;
  /** Counts blocks; when it is over, encoding yields to other work. */
  readonly steps = new StepCounter();
  /** Without the fields that the table drops. */
  readonly request: ModelRequest;

  constructor(
    private readonly requested: ModelRequest,
    readonly target: Target,
    readonly media: FetchedMedia,
    private readonly table: TranslationTable<Target>,
    { names, ids }: ToolWords = NO_TOOL_WORDS,
  ) {
    this.request = carriedRequest(requested, target, table);
    this.names = names;
    this.ids = ids;
  }

  /** The call's parameters of tier, speed and region, as far as the table has values for them. */
  get tierWords(): TierParameters {
    const { requested, target } = this;
    if (target.tier === 'standard' && (requested.serviceTier ?? requested.inferenceGeo) === undefined) return NO_TIER;
    const words = tierParameters(requested, target);
    const isTierCarried = (words.serviceTier ?? words.speed) === undefined || this.carries('service_tier');
    const isPlaceCarried = words.inferenceGeo === undefined || this.carries('inference_geo');
    if (isTierCarried && isPlaceCarried) return words;
    return definedOnly({
      serviceTier: isTierCarried ? words.serviceTier : undefined,
      speed: isTierCarried ? words.speed : undefined,
      inferenceGeo: isPlaceCarried ? words.inferenceGeo : undefined,
    });
  }

  /** Whether the table lets a field reach the target. */
  carries(field: RequestField): boolean {
    return carries(this.table, field, this.target);
  }

  /**
   * Whether the table lets this kind of tool reach the target.
   * @param name the tool's name, where the table's message needs it
   * @throws Untranslatable with the table's message, where the kind is refused
   */
  admitsTool(form: ToolForm, path: string, name = ''): boolean {
    const treatment = treatmentOf(this.table.tools[form], this.target);
    return treatment.type === 'refused'
      ? this.refuse(path, `${treatment.what} ${name}`.trimEnd())
      : treatment.type === 'mapped';
  }

  /** The target's id of a tool call, or of the call that a result answers. */
  callId(block: ToolUseBlock | ToolResultBlock): string {
    return this.ids.toWire(block);
  }

  /** The table's treatment of blocks of this form. */
  treatmentOf(form: BlockForm): Treatment {
    return treatmentOf(this.table.blocks[form], this.target);
  }

  /**
   * Whether the table lets a block reach the target.
   * @param type the block's own type, where its form does not determine it
   * @throws Untranslatable with the table's message, where the form is refused
   */
  admits(form: BlockForm, path: string, type?: string): boolean {
    const treatment = this.treatmentOf(form);
    return treatment.type === 'refused' ? this.refuseForm(form, path, type) : treatment.type === 'mapped';
  }

  /** @throws Untranslatable always, with the table's message */
  refuseForm(form: BlockForm, path: string, type?: string): never {
    const treatment = this.treatmentOf(form);
    const { what, within } = treatment.type === 'refused' ? treatment : UNKNOWN_BLOCK;
    return this.refuse(path + within, type === undefined ? what : `${what} of type ${type}`);
  }

  /**
   * @param path the field's path in the caller's request
   * @param what the feature that this target cannot carry
   * @throws Untranslatable always
   */
  refuse(path: string, what: string): never {
    const { model, endpoint } = this.target;
    throw new Untranslatable(path, `${what} cannot be sent to ${model.id} at ${endpoint.provider.name}`);
  }

  /** @throws Untranslatable always: no target takes this block at that path */
  refuseIn(where: string, path: string, block: ContentBlock | ToolReferenceBlock): never {
    const type = block.type === 'opaque' ? block.opaque.value['type'] : block.type.replaceAll('-', '_');
    return this.refuse(path, `a block of type ${typeof type === 'string' ? type : 'unknown'} in ${where}`);
  }

  /**
   * The texts of instructions outside the turns.
   * @throws Untranslatable for other blocks among them
   */
  instructions(message: Message, pathOf: PathOf): readonly TextBlock[] {
    return message.content.map((block, index) =>
      block.type === 'text' ? block : this.refuseIn('a system turn', pathOf(index), block),
    );
  }
}
