import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { Caller } from '../core/caller.js';
import { Environment } from '../shared/environment.js';
import type { AbandonedBodies } from '../shared/http/abandoned-bodies.js';
import { FloodStorage } from './flood-storage.js';

/**
 * Counts wasted calls of a key: generations whose clients disconnected at any stage, even before one had begun, and
 * those that failed after they had called a provider or a paid service. Above the limit the flood guard refuses the key
 * (docs/use/limits.md#wasted-calls). A call that was several requests counts as so many. One instance observes all
 * generations.
 */
@Injectable()
export class WastedCalls implements GenerationObserver, AbandonedBodies {
  constructor(
    @InjectThrottlerStorage() private readonly counts: FloodStorage,
    private readonly environment: Environment,
  ) {}

  ended(generation: Generation): undefined {
    const { wastes, result, refusesRequest } = ENDINGS[generation.ending!];
    const isWasted = wastes
      ? result === 'cancelled' || generation.wasCalled
      : refusesRequest === true && generation.hasCosts;
    // The operator pays for calls of an engine that brought no result.
    if (!isWasted && (generation.toolUses.length === 0 || !generation.hasLosses)) return;
    const most = generation.calls.reduce((times, { answeredRequests }) => Math.max(times, answeredRequests), 1);
    this.count(generation.caller, most);
  }

  bodyAbandoned(caller: Caller): void {
    if (caller.kind === 'inference') this.count(caller);
  }

  private count(caller: Caller, times = 1): void {
    this.counts.countWaste(caller, this.environment.flood.wasted, times);
  }
}
