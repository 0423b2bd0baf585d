import { Injectable } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import { planRequest, type Plan } from '../core/routing/plan.js';
import { ProviderRegistry } from '../providers/registry.js';

/** Gives the pure planner its inputs, and says it to the caller when nothing can be routed. No upstream call is made here. */
@Injectable()
export class RoutePlanner {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly providers: ProviderRegistry,
  ) {}

  /** @throws GatewayError `not-found` for an unknown model, and when no endpoint of it can be used */
  plan(request: ModelRequest): Plan {
    const plan = planRequest(request.model, this.catalog.current(), (provider) => this.providers.isReachable(provider));
    if (!plan) throw new GatewayError('not-found', `model: ${quote(request.model)} is not in the catalog`);
    if (plan.legs.length === 0) {
      throw new GatewayError('not-found', `model: no provider of ${quote(request.model)} has a credential`, {
        metadata: { excluded: plan.excluded.map(({ tag, reason }) => ({ provider: tag, reason })) },
      });
    }
    return plan;
  }
}

const MODEL_SHOWN_CHARACTERS_MAX = 200;

const quote = (model: string): string => JSON.stringify(model.slice(0, MODEL_SHOWN_CHARACTERS_MAX));
