import { Injectable } from '@nestjs/common';
import type { Candidate } from '../core/routing/candidate.js';
import { addCandidates } from '../core/routing/prepared-model.js';
import type { CatalogProvider, Model } from '../core/routing/catalog.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { viewEndpoint, type EndpointView } from './view-endpoint.js';

/**
 * Endpoints with their current health. Figures are those of the operator's credential, never of a caller's.
 */
@Injectable()
export class EndpointViews {
  constructor(private readonly health: HealthRegistry) {}

  /** Each in every tier it is priced for, as routing counts them. */
  of(model: Model, isWanted: (provider: CatalogProvider) => boolean = () => true): readonly EndpointView[] {
    const candidates: Candidate[] = [];
    for (const endpoint of model.endpoints) {
      if (isWanted(endpoint.provider)) addCandidates(endpoint, model, candidates);
    }
    const health = this.health.snapshot();
    return candidates.map((candidate) => {
      const key = { model: model.id, tag: candidate.tag, credential: SHARED_CREDENTIAL };
      return viewEndpoint(candidate, health.find(key), this.health.uptime(key));
    });
  }
}
