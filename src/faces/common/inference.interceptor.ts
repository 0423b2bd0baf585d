import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, of, type Observable } from 'rxjs';
import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import type { PresetUse } from '../../core/conversation/preset-use.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Leg } from '../../core/routing/plan.js';
import { routerMetadata } from '../../core/routing/router-metadata.js';
import type { PresetRequest } from '../../presets/preset.guard.js';
import { KeptDelivery } from './kept-delivery.js';
import { wantsRouterMetadata } from './read-headers.js';
import { IDEMPOTENCY_HEADER } from './read-idempotency.js';

/** An inference request, as its guards and interceptors pass it to the handler. */
export interface InferenceRequest extends PresetRequest {
  /** Observes the generation that the request begins. */
  observer?: GenerationObserver;
}

/**
 * Adds routing metadata to an inference whose header requests it: to a whole reply, to the end of a stream, and to
 * every error after routing. It reports what happened, not what was planned, so it is made when the reply or its
 * failure ends.
 *
 * Answers a repetition of a request with a preset before the body is judged: the preset may have changed since.
 */
@Injectable()
export class InferenceInterceptor implements NestInterceptor {
  constructor(private readonly kept: KeptDelivery) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<InferenceRequest>();
    if (wantsRouterMetadata(request.headers)) request.observer = ROUTE_OBSERVER;
    const { naming } = request;
    if (naming === undefined || request.headers[IDEMPOTENCY_HEADER] === undefined) return next.handle();
    const repeated = this.kept.repeat(request, naming, context.switchToHttp().getResponse<Response>());
    return from(repeated).pipe(mergeMap((isAnswered) => (isAnswered ? of(undefined) : next.handle())));
  }
}

/** Stateless: the same for every generation. */
const ROUTE_OBSERVER: GenerationObserver = {
  ended(generation) {
    generation.extras = viewRoute(generation, generation.ending === 'completed' ? generation.answer?.leg : undefined);
  },
  deliveryFailed(generation) {
    generation.extras = viewRoute(generation);
  },
};

/**
 * The metadata under two names: the contract's, and the one that existing clients read
 * (docs/use/routing-metadata.md#where-it-is-returned). Empty before there is a plan.
 * @param answered the leg that is marked as selected; on errors there is none
 */
function viewRoute(generation: Generation, answered?: Leg): JsonObject {
  const { plan, pipeline: stages, isRouted, request } = generation;
  if (!plan || !isRouted) return {};
  const attempts = generation.attempts();
  const pipeline = request.preset ? [presetStage(request.preset), ...stages] : stages;
  const generationMs = performance.now() - generation.beganAt;
  const view = routerMetadata(plan, { attempts, pipeline, generationMs, ...(answered && { answered }) });
  return { router_metadata: view, openrouter_metadata: view };
}

const presetStage = ({ slug, version }: PresetUse): JsonObject => ({ type: 'preset', name: slug, data: { version } });
