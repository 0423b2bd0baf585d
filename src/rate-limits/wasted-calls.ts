import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { Caller } from '../core/caller.js';
import { Environment } from '../shared/environment.js';
import type { AbandonedBodies } from '../shared/http/abandoned-bodies.js';
import { FloodStorage } from './flood-storage.js';

/**
 * Counts generations that their callers left, at whatever stage, also before there was one, and those that failed after
 * they had called a provider or a paid service: past a number of them the flood guard refuses the key
 * (docs/use/limits.md#wasted-calls). One instance observes all generations.
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
    if (isWasted || (generation.toolUses.length > 0 && generation.hasLosses)) this.count(generation.caller);
  }

  bodyAbandoned(caller: Caller): void {
    if (caller.kind === 'inference') this.count(caller);
  }

  private count(caller: Caller): void {
    this.counts.countWaste(caller, this.environment.flood.wasted);
  }
}
