import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { isTask, type TaskRequest } from '../core/conversation/task-request.js';
import type { TaskKind } from '../core/conversation/task.js';
import { hasOnlyFunctions, type Tool } from '../core/conversation/tools.js';
import { traitsOf } from '../core/conversation/traits.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import { Base64Text } from '../core/json/base64-text.js';
import type { Dialect, FetchedMedia, Media, RequiredMedia, Target, TaskCodec } from '../core/provider.js';
import { dialectOf, type Endpoint } from '../core/routing/catalog.js';
import type { Secret } from '../core/secret.js';
import { doInSlices } from '../core/steps.js';
import { Environment } from '../shared/environment.js';
import { proxySecrets } from '../shared/http/client/forward-proxies.js';
import { findRequiredMedia } from './dialects/required-media.js';
import { droppedNames } from './fitting/dropped-names.js';
import { withInlineMedia } from './media/inline-media.js';
import { TOOL_FIELDS, withTakenBetas } from './fitting/fit-betas.js';
import { withToolPairs } from './fitting/fit-history.js';
import { withTakenMembers } from './fitting/fit-members.js';
import { withTakenStops } from './fitting/fit-stops.js';
import { withTakenTurnFields } from './fitting/fit-turn-fields.js';
import { toolRuns, withFittingTools, type ToolRun } from './fitting/fit-tools.js';
import { divided, PartedCall } from './parted-call.js';
import { PreparedCall, type CallDependencies, type CallWatch } from './prepared-call.js';
import { ProviderRegistry, type ProviderAccess } from './registry.js';
import { withPassedFields } from './fitting/undeclared-fields.js';

/** Stands for media that are not fetched. */
const STAND_IN: Readonly<Record<RequiredMedia['accept'], Media>> = {
  image: { mediaType: 'image/png', base64: Base64Text.EMPTY },
  document: { mediaType: 'application/pdf', base64: Base64Text.EMPTY },
};

const NONE: readonly never[] = [];
/** For a call that needs no media. */
export const NO_MEDIA: FetchedMedia = new Map();

/** The target of a call. */
export type CallTarget = Omit<Target, 'definition'>;

/** Every call to a provider goes through this class: attempts, token counts and credential tests. */
@Injectable()
export class ProviderClient {
  private readonly dependencies: CallDependencies;

  constructor(
    private readonly registry: ProviderRegistry,
    environment: Environment,
  ) {
    this.dependencies = { timeouts: environment.timeouts, proxySecrets: proxySecrets(environment) };
  }

  /** The media that `prepare` needs as bytes. */
  requiredMedia({ model, endpoint, tier }: CallTarget, request: ModelRequest): readonly RequiredMedia[] {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    if (platform.fetchesMedia?.(dialectOf(endpoint)) === false)
      return findRequiredMedia(request, ['image', 'document']);
    return dialect.requiredMedia?.(request, { model, endpoint, tier, definition }) ?? NONE;
  }

  /**
   * Prepares a call; nothing is sent yet.
   * @param credential absent where the provider needs none
   * @param media all that `requiredMedia` names
   */
  prepare(
    { model, endpoint, tier, refusesKeeping }: CallTarget,
    request: ModelRequest,
    credential: Secret | undefined,
    media = NO_MEDIA,
    watch?: CallWatch,
  ): PreparedCall {
    const access = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition: access.definition };
    let sent = fitted(request, target, access.dialect);
    if (media.size > 0 && access.platform.fetchesMedia?.(dialectOf(endpoint)) === false)
      sent = withInlineMedia(sent, leftTo(access.dialect, sent, target, media));
    const { dependencies } = this;
    if (!sent.task) return new PreparedCall(target, sent, credential, media, access, dependencies, watch);
    const codec = codecOf(sent as TaskRequest, target, access);
    const parts = isTask(sent, 'embeddings') ? divided(sent, target, codec) : NONE;
    if (parts.length <= 1) return new PreparedCall(target, sent, credential, media, access, dependencies, watch, codec);
    return new PartedCall(target, sent, credential, media, access, dependencies, watch, codec).of(parts);
  }

  /**
   * Why the target cannot carry the request, by its dialect; undefined where it can. Nothing is fetched or sent:
   * stand-ins replace media.
   */
  async refusalOf(
    { model, endpoint, tier, refusesKeeping }: CallTarget,
    request: ModelRequest,
  ): Promise<Untranslatable | undefined> {
    const access = this.registry.accessTo(endpoint);
    const { dialect, platform, definition } = access;
    const target: Target = { model, endpoint, tier, refusesKeeping, definition };
    const required = dialect.requiredMedia?.(request, target) ?? [];
    try {
      const codec = isTask(request) ? codecOf(request, target, access) : dialect;
      const media = new Map(required.map(({ url, accept }) => [url, STAND_IN[accept]]));
      const call = await doInSlices(codec.encode(fitted(request, target, dialect), target, media));
      platform.adapt?.(call, target);
      return undefined;
    } catch (error) {
      if (error instanceof Untranslatable) return error;
      throw error;
    }
  }

  /** Names of what a call would omit of a request, from `droppedNames`. */
  droppedBy({ model, endpoint, tier, refusesKeeping }: CallTarget, request: ModelRequest): readonly string[] {
    const access = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition: access.definition };
    return droppedNames(request, target, access);
  }

  /** Tools of a request that the endpoint's vendor runs by itself, in order. */
  toolRuns({ endpoint }: CallTarget, tools: readonly Tool[]): readonly ToolRun[] {
    const { dialect, definition } = this.registry.accessTo(endpoint);
    return toolRuns(tools, { endpoint, definition }, dialect.vendor);
  }

  /**
   * False when a readable credential has no access to the endpoint's model: it may be a list of deployments, each of
   * one model.
   */
  mayUseCredential({ model, endpoint, tier }: CallTarget, credential: Secret): boolean {
    const { platform, definition } = this.registry.accessTo(endpoint);
    try {
      platform.modelOf?.({ target: { model, endpoint, tier, definition }, credential });
      return true;
    } catch (error) {
      if (error instanceof ProviderFault) return false;
      throw error;
    }
  }

  /** True when the endpoint can count the tokens of a prompt without answering it. */
  canCount(endpoint: Endpoint): boolean {
    const { dialect, platform } = this.registry.accessTo(endpoint);
    return dialect.counting !== undefined && (platform.counts?.(dialect.id) ?? true);
  }
}

/**
 * The codec of the task's calls.
 * @throws Untranslatable where the target's format, or its platform, has no such call
 */
function codecOf({ task: { kind } }: TaskRequest, { endpoint }: Target, access: ProviderAccess): TaskCodec {
  const codec = access.dialect.tasks?.[kind];
  if (codec && (access.platform.doesTasks?.(dialectOf(endpoint)) ?? true)) return codec;
  throw new Untranslatable(
    'model',
    `${TASK_WORDS[kind]} are not available from ${endpoint.provider.name} in this format`,
  );
}

const TASK_WORDS: Readonly<Record<TaskKind, string>> = { embeddings: 'embeddings', rerank: 'rankings' };

/**
 * The request in the form that the target takes: its undeclared fields, stop sequences, tools, betas, and the work of
 * vendors' tools.
 */
function fitted(request: ModelRequest, target: Target, dialect: Dialect): ModelRequest {
  let sent = request;
  if (sent.extras !== undefined || target.refusesKeeping) sent = withPassedFields(sent, target, dialect.vendor);
  if (sent.undeclared !== undefined && dialect.vendor === 'anthropic') sent = withTakenMembers(sent, target);
  if (sent.stopSequences !== undefined) sent = withTakenStops(sent, target);
  if (sent.tools.length > 0 && !hasOnlyFunctions(sent.tools)) sent = withFittingTools(sent, target, dialect.vendor);
  const { hasOpaque, hasBetaFields, hasExtras } = traitsOf(sent.messages);
  const { system, tools } = sent;
  // Inline loops: nearly no request has such a field, but every request with tools is checked.
  let mayHoldBetas = hasBetaFields || sent.cacheMarker?.scope !== undefined;
  for (let index = 0; index < system.length; index++) mayHoldBetas ||= system[index]!.cacheMarker?.scope !== undefined;
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index]!;
    const wire = tool.type === 'function' ? tool.origin?.value : undefined;
    mayHoldBetas ||= tool.cacheMarker?.scope !== undefined;
    if (wire !== undefined) for (const field of TOOL_FIELDS) mayHoldBetas ||= wire[field] !== undefined;
  }
  if (mayHoldBetas && dialect.vendor === 'anthropic') sent = withTakenBetas(sent, target);
  if (hasExtras) sent = withTakenTurnFields(sent, target, dialect.vendor);
  return hasOpaque ? withToolPairs(sent, target, dialect) : sent;
}

/** The media that the dialect would send by address; it reads the others as bytes by itself. */
function leftTo(dialect: Dialect, request: ModelRequest, target: Target, media: FetchedMedia): FetchedMedia {
  const own = new Set(dialect.requiredMedia?.(request, target).map(({ url }) => url));
  return new Map([...media].filter(([url]) => !own.has(url)));
}
