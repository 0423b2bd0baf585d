import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Target } from '../core/provider.js';
import type { CatalogProvider } from '../core/routing/catalog.js';
import type { Secret } from '../core/secret.js';
import { Environment } from '../shared/environment.js';
import { MediaFetcher } from './media-fetcher.js';
import { PreparedCall, type CallDependencies } from './prepared-call.js';
import { ProviderRegistry } from './registry.js';

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
   */
  prepare({ model, endpoint, tier }: CallTarget, request: ModelRequest, credential: Secret | undefined): PreparedCall {
    const access = this.registry.accessTo(endpoint.provider);
    const target: Target = { model, endpoint, tier, definition: access.definition };
    return new PreparedCall(target, request, credential, access, this.dependencies);
  }

  /** True when the provider can count the tokens of a prompt without answering it. */
  canCount(provider: CatalogProvider): boolean {
    return this.registry.accessTo(provider).dialect.counting !== undefined;
  }
}
