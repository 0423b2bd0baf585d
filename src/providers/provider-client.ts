import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { namesOfSaid } from '../core/conversation/said-fields.js';
import { hasOnlyFunctions, type Tool } from '../core/conversation/tools.js';
import { traitsOf } from '../core/conversation/traits.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import { Base64Text } from '../core/json/base64-text.js';
import type { Dialect, FetchedMedia, Media, RequiredMedia, Target } from '../core/provider.js';
import { dialectOf, type Endpoint } from '../core/routing/catalog.js';
import { droppedWords, pricedWords } from '../core/routing/priced-words.js';
import type { Secret } from '../core/secret.js';
import { shortened } from '../core/shortened.js';
import { doInTurns } from '../core/steps.js';
import { Environment } from '../shared/environment.js';
import { proxySecrets } from '../shared/http/forward-proxies.js';
import { carries } from './dialects/encode-fields.js';
import { findRequiredMedia } from './dialects/required-media.js';
import { withInlineMedia } from './inline-media.js';
import { withToolPairs } from './fit-history.js';
import { toolRuns, withFittingTools, type ToolRun } from './fit-tools.js';
import { PreparedCall, type CallDependencies, type CallWatch } from './prepared-call.js';
import { ProviderRegistry } from './registry.js';
import { DROPPED_NAMED_MAX, droppedFields, withPassedFields } from './undeclared-fields.js';

/** What media would be, where nothing is fetched. */
const STAND_IN: Readonly<Record<RequiredMedia['accept'], Media>> = {
  image: { mediaType: 'image/png', base64: Base64Text.EMPTY },
  document: { mediaType: 'application/pdf', base64: Base64Text.EMPTY },
};

const NONE: readonly never[] = [];
/** What a call is given that needs none. */
export const NO_MEDIA: FetchedMedia = new Map();

/** Whom a call goes to. */
export type CallTarget = Omit<Target, 'definition'>;

/**
 * The one way to call a provider, whoever calls and for whatever: an attempt, a count of tokens, the test of a
 * credential.
 */
@Injectable()
export class ProviderClient {
  private readonly dependencies: CallDependencies;

  constructor(
    private readonly registry: ProviderRegistry,
    environment: Environment,
  ) {
    this.dependencies = { timeouts: environment.timeouts, proxySecrets: proxySecrets(environment) };
  }

  /** The media that `prepare` is to be given as bytes. */
  requiredMedia({ model, endpoint, tier }: CallTarget, request: ModelRequest): readonly RequiredMedia[] {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    if (platform.fetchesMedia?.(dialectOf(endpoint)) === false)
      return findRequiredMedia(request, ['image', 'document']);
    return dialect.requiredMedia?.(request, { model, endpoint, tier, definition }) ?? NONE;
  }

  /**
   * Makes a call ready; nothing is sent yet.
   * @param credential absent where the provider wants none
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
    return new PreparedCall(target, sent, credential, media, access, this.dependencies, watch);
  }

  /**
   * Why the target could not carry the request, by its dialect; undefined: it can. Nothing is fetched or sent: what
   * media would hold is taken for granted.
   */
  async refusalOf(
    { model, endpoint, tier, refusesKeeping }: CallTarget,
    request: ModelRequest,
  ): Promise<Untranslatable | undefined> {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition };
    const required = dialect.requiredMedia?.(request, target) ?? [];
    try {
      const media = new Map(required.map(({ url, accept }) => [url, STAND_IN[accept]]));
      const call = await doInTurns(dialect.encode(fitted(request, target, dialect), target, media));
      platform.adapt?.(call, target);
      return undefined;
    } catch (error) {
      if (error instanceof Untranslatable) return error;
      throw error;
    }
  }

  /**
   * What of a request a call would be made without, by name: fields that the dialect or the platform has no place for
   * there, words with a price of their own, betas, and fields that no face declares
   * (docs/wire/routing-metadata.md#what-was-dropped).
   */
  droppedBy({ model, endpoint, tier, refusesKeeping }: CallTarget, request: ModelRequest): readonly string[] {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition };
    const names = [
      ...droppedWords(pricedWords(request), target),
      ...namesOfSaid(request, (field) => !(platform.carries?.(field, target) ?? carries(dialect.table, field, target))),
      ...request.betas.filter((beta) => platform.carriesBeta?.(beta, target) === false),
      ...droppedFields(request, target, dialect.vendor),
    ];
    return names.length === 0 ? NONE : [...new Set(names.map(shortened))].slice(0, DROPPED_NAMED_MAX);
  }

  /** Which tools of a request the endpoint's vendor runs by itself, in their order. */
  toolRuns({ endpoint }: CallTarget, tools: readonly Tool[]): readonly ToolRun[] {
    const { dialect, definition } = this.registry.accessTo(endpoint);
    return toolRuns(tools, { endpoint, definition }, dialect.vendor);
  }

  /**
   * False when the credential, as far as it can be read, has nothing for the endpoint's model: one may be a list of
   * deployments, each of one model.
   */
  leadsTo({ model, endpoint, tier }: CallTarget, credential: Secret): boolean {
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

/** The request as the target may be sent it: its undeclared fields, its tools, and what vendors' tools did. */
function fitted(request: ModelRequest, target: Target, dialect: Dialect): ModelRequest {
  let sent = request;
  if (sent.extras !== undefined || target.refusesKeeping) sent = withPassedFields(sent, target, dialect.vendor);
  if (sent.tools.length > 0 && !hasOnlyFunctions(sent.tools)) sent = withFittingTools(sent, target, dialect.vendor);
  return traitsOf(sent.messages).hasOpaque ? withToolPairs(sent, target, dialect) : sent;
}

/** What the dialect would leave an address of: the rest it reads as bytes by itself. */
function leftTo(dialect: Dialect, request: ModelRequest, target: Target, media: FetchedMedia): FetchedMedia {
  const own = new Set(dialect.requiredMedia?.(request, target).map(({ url }) => url));
  return new Map([...media].filter(([url]) => !own.has(url)));
}
