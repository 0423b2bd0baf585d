import { Injectable } from '@nestjs/common';
import { Generation, type GenerationStart } from '../core/generation/generation.js';
import { newGenerationId } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { HealthRegistry } from '../health/health-registry.js';
import { Metrics } from '../shared/metrics.js';
import { Tracing } from '../shared/tracing.js';
import { CallTelemetry, type TelemetrySinks } from './call-telemetry.js';
import { DecisionLog } from './decision-log.js';
import { RefusedCredentials } from './refused-credentials.js';
import { SessionPins } from './session-pins.js';

/**
 * Makes generations, each with those who observe it from its start: telemetry, decisions, pins, in that order. Whoever
 * holds money or places for it joins behind them, when it is admitted.
 */
@Injectable()
export class GenerationFactory {
  private readonly sinks: TelemetrySinks;

  constructor(
    private readonly clock: Clock,
    private readonly decisions: DecisionLog,
    private readonly pins: SessionPins,
    refused: RefusedCredentials,
    tracing: Tracing,
    metrics: Metrics,
    health: HealthRegistry,
  ) {
    this.sinks = { tracing: tracing.isOn ? tracing : undefined, metrics, health, clock, refused };
  }

  create(start: GenerationStart): Generation {
    const generation = new Generation(newGenerationId(this.clock.now()), start);
    generation.observe(new CallTelemetry(this.sinks, generation));
    generation.observe(this.decisions);
    generation.observe(this.pins);
    return generation;
  }
}
