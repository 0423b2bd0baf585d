import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Leg } from '../../core/routing/plan.js';
import { routerMetadata } from '../../core/routing/router-metadata.js';
import type { AuthenticatedRequest } from '../../shared/http/route.decorators.js';
import { wantsRouterMetadata } from './read-headers.js';

/** An inference request, as its interceptors pass it to the handler. */
export interface InferenceRequest extends AuthenticatedRequest {
  /** Observes the generation that the request begins. */
  observer?: GenerationObserver;
}

/**
 * Adds routing metadata to an inference whose header requests it: to a whole reply, to the end of a stream, and to
 * every error after routing. It reports what happened, not what was planned, so it is made when the reply or its
 * failure ends.
 */
@Injectable()
export class RouterMetadataInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<InferenceRequest>();
    if (wantsRouterMetadata(request.headers)) request.observer = ROUTE_OBSERVER;
    return next.handle();
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
 * Two names of the same: the contract's, and the one that clients in use read
 * (docs/use/routing-metadata.md#where-it-is-returned). Nothing before there is a plan.
 * @param answered the leg that is marked as selected; on errors there is none
 */
function viewRoute(generation: Generation, answered?: Leg): JsonObject {
  const { plan, pipeline, isRouted } = generation;
  if (!plan || !isRouted) return {};
  const attempts = generation.attempts();
  const generationMs = performance.now() - generation.beganAt;
  const view = routerMetadata(plan, { attempts, pipeline, generationMs, ...(answered && { answered }) });
  return { router_metadata: view, openrouter_metadata: view };
}
