import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { Untranslatable } from '../core/errors.js';
import { Base64Text } from '../core/json/base64-text.js';
import type { FetchedMedia, Media, RequiredMedia, Target } from '../core/provider.js';
import type { Endpoint } from '../core/routing/catalog.js';
import { droppedWords, pricedWords } from '../core/routing/priced-words.js';
import type { Secret } from '../core/secret.js';
import { Environment } from '../shared/environment.js';
import { findRequiredMedia } from './dialects/required-media.js';
import { withInlineMedia } from './inline-media.js';
import { PreparedCall, type CallDependencies } from './prepared-call.js';
import { ProviderRegistry } from './registry.js';
import { droppedFields, withPassedFields } from './undeclared-fields.js';

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
    { timeouts }: Environment,
  ) {
    this.dependencies = { timeouts };
  }

  /** The media that `prepare` is to be given as bytes. */
  requiredMedia({ model, endpoint, tier }: CallTarget, request: ModelRequest): readonly RequiredMedia[] {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    if (platform.fetchesMedia === false) return findRequiredMedia(request, ['image', 'document']);
    return dialect.requiredMedia?.(request, { model, endpoint, tier, definition }) ?? NONE;
  }

  /**
   * Makes a call ready; nothing is sent yet.
   * @param credential absent where the provider wants none
   * @param media all that `requiredMedia` names
   * @param onSent told when the provider has been sent all of it, and may bill it; perhaps more than once
   */
  prepare(
    { model, endpoint, tier, refusesKeeping }: CallTarget,
    request: ModelRequest,
    credential: Secret | undefined,
    media = NO_MEDIA,
    onSent?: () => void,
  ): PreparedCall {
    const access = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition: access.definition };
    const passed = withPassedFields(request, target, access.dialect.vendor);
    const isInline = access.platform.fetchesMedia === false && !access.dialect.requiredMedia;
    const sent = isInline ? withInlineMedia(passed, media) : passed;
    return new PreparedCall(target, sent, credential, media, access, this.dependencies, onSent);
  }

  /**
   * Why the target could not carry the request, by its dialect; undefined: it can. Nothing is fetched or sent: what
   * media would hold is taken for granted.
   */
  refusalOf({ model, endpoint, tier, refusesKeeping }: CallTarget, request: ModelRequest): Untranslatable | undefined {
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, refusesKeeping, definition };
    const required = dialect.requiredMedia?.(request, target) ?? [];
    try {
      const call = dialect.encode(
        withPassedFields(request, target, dialect.vendor),
        target,
        new Map(required.map(({ url, accept }) => [url, STAND_IN[accept]])),
      );
      platform.adapt?.(call, target);
      return undefined;
    } catch (error) {
      if (error instanceof Untranslatable) return error;
      throw error;
    }
  }

  /**
   * What of a request a call would be made without, by name: words with a price of their own, fields that no face
   * declares, and what the platform does not take (docs/wire/routing-metadata.md#fields).
   */
  droppedBy({ model, endpoint, tier, refusesKeeping }: CallTarget, request: ModelRequest): readonly string[] {
    const words = pricedWords(request);
    const { dialect, platform, definition } = this.registry.accessTo(endpoint);
    if (words.length === 0 && !request.extras && !platform.dropped) return NONE;
    const target: Target = { model, endpoint, tier, refusesKeeping, definition };
    const fields = droppedFields(request, target, dialect.vendor);
    const byPlatform = platform.dropped?.(request, target) ?? NONE;
    return [...new Set([...droppedWords(words, target), ...fields, ...byPlatform])];
  }

  /** True when the endpoint can count the tokens of a prompt without answering it. */
  canCount(endpoint: Endpoint): boolean {
    const { dialect, platform } = this.registry.accessTo(endpoint);
    return dialect.counting !== undefined && (platform.counts?.(dialect.id) ?? true);
  }
}
