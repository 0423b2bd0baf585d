import { Injectable } from '@nestjs/common';
import { Generation, type GenerationStart } from '../core/generation/generation.js';
import { newGenerationId } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { Tracing } from '../shared/telemetry/tracing.js';
import { CallTelemetry } from './call-telemetry.js';
import { DecisionLog } from './decision-log.js';
import { GenerationTrace } from './generation-trace.js';
import { SessionPins } from './session-pins.js';

/**
 * Creates generations with their observers: telemetry, decisions, pins, and spans last, so that an exporter that fails
 * does not affect the others. Observers that hold money or slots for it are added after them, when it is admitted.
 */
@Injectable()
export class GenerationFactory {
  constructor(
    private readonly clock: Clock,
    private readonly tracing: Tracing,
    private readonly telemetry: CallTelemetry,
    private readonly decisions: DecisionLog,
    private readonly pins: SessionPins,
  ) {}

  create(start: GenerationStart): Generation {
    const generation = new Generation(start.id ?? newGenerationId(this.clock.now()), start);
    generation.observe(this.telemetry, this.decisions, this.pins);
    if (this.tracing.isOn) generation.observe(new GenerationTrace(this.tracing, generation));
    return generation;
  }
}
