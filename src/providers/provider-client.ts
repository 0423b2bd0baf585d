import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { Untranslatable } from '../core/errors.js';
import type { Media, RequiredMedia, Target } from '../core/provider.js';
import type { CatalogProvider } from '../core/routing/catalog.js';
import type { Secret } from '../core/secret.js';
import { Environment } from '../shared/environment.js';
import { MediaFetcher } from './media-fetcher.js';
import { PreparedCall, type CallDependencies } from './prepared-call.js';
import { ProviderRegistry } from './registry.js';

/** What media would be, where nothing is fetched. */
const STAND_IN: Readonly<Record<RequiredMedia['accept'], Media>> = {
  image: { mediaType: 'image/png', base64: '' },
  document: { mediaType: 'application/pdf', base64: '' },
};

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
    media: MediaFetcher,
    { timeouts }: Environment,
  ) {
    this.dependencies = { media, timeouts };
  }

  /**
   * Makes a call ready; nothing is sent yet.
   * @param credential absent where the provider wants none
   * @param onSent told when the provider has been sent all of it, and may bill it; perhaps more than once
   */
  prepare(
    { model, endpoint, tier }: CallTarget,
    request: ModelRequest,
    credential: Secret | undefined,
    onSent?: () => void,
  ): PreparedCall {
    const access = this.registry.accessTo(endpoint.provider);
    const target: Target = { model, endpoint, tier, definition: access.definition };
    return new PreparedCall(target, request, credential, access, this.dependencies, onSent);
  }

  /**
   * Why the target could not carry the request, by its dialect; undefined: it can. Nothing is fetched or sent: what
   * media would hold is taken for granted.
   */
  refusalOf({ model, endpoint, tier }: CallTarget, request: ModelRequest): Untranslatable | undefined {
    const { dialect, definition } = this.registry.accessTo(endpoint.provider);
    const target: Target = { model, endpoint, tier, definition };
    const required = dialect.requiredMedia?.(request, target) ?? [];
    try {
      dialect.encode(request, target, new Map(required.map(({ url, accept }) => [url, STAND_IN[accept]])));
      return undefined;
    } catch (error) {
      if (error instanceof Untranslatable) return error;
      throw error;
    }
  }

  /** True when the provider can count the tokens of a prompt without answering it. */
  canCount(provider: CatalogProvider): boolean {
    return this.registry.accessTo(provider).dialect.counting !== undefined;
  }
}
