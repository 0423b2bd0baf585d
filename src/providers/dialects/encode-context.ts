import type {
  ContentBlock,
  Message,
  TextBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { anthropicMetadata, presentFields, USER_KEY } from '../../core/conversation/said-fields.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { definedOnly } from '../../core/defined.js';
import { Untranslatable } from '../../core/errors.js';
import type { FetchedMedia, Target } from '../../core/provider.js';
import {
  fateOf,
  type BlockForm,
  type Fate,
  type RequestField,
  type ToolForm,
  type TranslationTable,
} from '../../core/translation.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { carries } from './encode-fields.js';
import { NO_TIER, tierParameters, type TierParameters } from './service-tier.js';
import { hashedId, ToolIds, type ToolIdRule } from './tool-ids.js';
import { mapToolNames, ToolNames, type ToolNameRules } from './tool-names.js';

/** A block of a turn as errors name it. */
export type PathOf = (place: number) => string;

/** How a format restricts what tools and their calls are called. */
export interface NamingRules extends ToolNameRules {
  /** Absent: it takes any id. */
  readonly callIds?: ToolIdRule;
}

/** Chosen: what vendors that take any id make themselves has 10 to 30 characters. */
const STAND_IN_LENGTH = 48;
export const ANY_ID: ToolIdRule = { isLegal: () => true, standIn: (text) => hashedId(text, STAND_IN_LENGTH) };

/** What a target calls the tools of a request, and their calls. */
export interface ToolWords {
  readonly names: ToolNames;
  readonly ids: ToolIds;
}

/** What a request needs that neither has tools nor calls of them. */
const NO_TOOL_WORDS: ToolWords = { names: ToolNames.NONE, ids: ToolIds.NONE };

/**
 * Whether a request names tools, or holds calls of them. Where it does not, `toolWordsOf` is not entered:
 * `EncodeContext` takes undefined for it.
 */
export const namesTools = ({ tools, toolChoice, messages }: ModelRequest): boolean =>
  tools.length > 0 || toolChoice !== undefined || traitsOf(messages).hasToolBlocks;

export function* toolWordsOf(request: ModelRequest, target: Target, rules: NamingRules = {}): Steps<ToolWords> {
  const names = yield* mapToolNames({ request, target }, rules);
  const ids = yield* ToolIds.of(request.messages, rules.callIds ?? ANY_ID);
  return { names, ids };
}

const UNKNOWN_BLOCK = { what: 'a block', within: '' };

/** The same request without a field. */
type Without = (request: ModelRequest) => ModelRequest;

/**
 * The fields that are no single value with a place of its own (`encode-fields.ts`): encoders put them together, and
 * read them from a request that no longer has those that the table drops. Tiers and places are not the request's alone
 * (`service-tier.ts`).
 */
const WITHOUT: Readonly<Partial<Record<RequestField, Without>>> = {
  system: (request) => ({ ...request, system: [] }),
  max_tokens: ({ maxOutputTokens: _dropped, ...rest }) => rest,
  tools: (request) => ({ ...request, tools: [] }),
  tool_choice: ({ toolChoice: _dropped, ...rest }) => rest,
  parallel_tool_calls: ({ parallelToolCalls: _dropped, toolChoice, ...rest }) => {
    if (toolChoice === undefined) return rest;
    // As it came, the choice would still hold it.
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

/** The request as far as the table lets its fields through to this target: the very same where it drops none. */
function carriedRequest(request: ModelRequest, target: Target, table: TranslationTable<Target>): ModelRequest {
  let carried = request;
  for (const field of presentFields(request)) {
    const without = WITHOUT[field];
    if (without !== undefined && !carries(table, field, target)) carried = without(carried);
  }
  return carried;
}

/** What encoding one request for one target needs everywhere, whatever the dialect. One per attempt. */
export class EncodeContext {
  /** The tools' names as the target takes them: those of all that was asked, as the decoder reads them back. */
  readonly names: ToolNames;
  private readonly ids: ToolIds;
  /** Counts blocks: others are to have their turn before more is encoded when it is over. */
  readonly steps = new StepCounter();
  /** Without the fields that the table drops. */
  readonly request: ModelRequest;

  constructor(
    private readonly asked: ModelRequest,
    readonly target: Target,
    readonly media: FetchedMedia,
    private readonly table: TranslationTable<Target>,
    { names, ids }: ToolWords = NO_TOOL_WORDS,
  ) {
    this.request = carriedRequest(asked, target, table);
    this.names = names;
    this.ids = ids;
  }

  /** What the call says of tier, speed and place, as far as the table has words for them here. */
  get tierWords(): TierParameters {
    const { asked, target } = this;
    if (target.tier === 'standard' && (asked.serviceTier ?? asked.inferenceGeo) === undefined) return NO_TIER;
    const words = tierParameters(asked, target);
    const isTierSaid = (words.serviceTier ?? words.speed) === undefined || this.carries('service_tier');
    const isPlaceSaid = words.inferenceGeo === undefined || this.carries('inference_geo');
    if (isTierSaid && isPlaceSaid) return words;
    return definedOnly({
      serviceTier: isTierSaid ? words.serviceTier : undefined,
      speed: isTierSaid ? words.speed : undefined,
      inferenceGeo: isPlaceSaid ? words.inferenceGeo : undefined,
    });
  }

  /** Whether a field reaches the target, by the table. */
  carries(field: RequestField): boolean {
    return carries(this.table, field, this.target);
  }

  /**
   * Whether what a request says of tools reaches the target, by the table.
   * @param name what it is called, where the words of the table need it
   * @throws Untranslatable in the words of the table, where it is refused
   */
  admitsTool(form: ToolForm, path: string, name = ''): boolean {
    const fate = fateOf(this.table.tools[form], this.target);
    return fate.type === 'refused' ? this.refuse(path, `${fate.what} ${name}`.trimEnd()) : fate.type === 'mapped';
  }

  /** The id of a tool call, or of what its result answers, as the target takes it. */
  callId(block: ToolUseBlock | ToolResultBlock): string {
    return this.ids.toWire(block);
  }

  /** What becomes of blocks of this form here. */
  fateOf(form: BlockForm): Fate {
    return fateOf(this.table.blocks[form], this.target);
  }

  /**
   * Whether a block reaches the target, by the table.
   * @param type what it calls itself, where its form does not tell
   * @throws Untranslatable in the words of the table, where it is refused
   */
  admits(form: BlockForm, path: string, type?: string): boolean {
    const fate = this.fateOf(form);
    return fate.type === 'refused' ? this.refuseForm(form, path, type) : fate.type === 'mapped';
  }

  /** @throws Untranslatable always, in the words of the table */
  refuseForm(form: BlockForm, path: string, type?: string): never {
    const fate = this.fateOf(form);
    const { what, within } = fate.type === 'refused' ? fate : UNKNOWN_BLOCK;
    return this.refuse(path + within, type === undefined ? what : `${what} of type ${type}`);
  }

  /**
   * @param path the field, as the caller wrote it
   * @param what this target cannot carry
   * @throws Untranslatable always
   */
  refuse(path: string, what: string): never {
    const { model, endpoint } = this.target;
    throw new Untranslatable(path, `${what} cannot be sent to ${model.id} at ${endpoint.provider.name}`);
  }

  /** @throws Untranslatable always: no target has this block there */
  refuseIn(place: string, path: string, block: ContentBlock | ToolReferenceBlock): never {
    const type = block.type === 'opaque' ? block.opaque.value['type'] : block.type.replaceAll('-', '_');
    return this.refuse(path, `a block of type ${typeof type === 'string' ? type : 'unknown'} in ${place}`);
  }

  /**
   * The texts of instructions in a place of their own.
   * @throws Untranslatable for anything else in there
   */
  instructions(message: Message, pathOf: PathOf): readonly TextBlock[] {
    return message.content.map((block, index) =>
      block.type === 'text' ? block : this.refuseIn('a system turn', pathOf(index), block),
    );
  }
}
