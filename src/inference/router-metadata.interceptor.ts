import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Generation, GenerationStart } from '../core/generation/generation.js';
import type { JsonObject } from '../core/json/json.js';
import { routerMetadata } from '../core/routing/router-metadata.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { wantsRouterMetadata } from './read-headers.js';

/** A request of inference, as its interceptors leave it to the handler. */
export interface InferenceRequest extends AuthenticatedRequest {
  extras?: GenerationStart['extras'];
}

/**
 * Adds to an inference whose header asks for it how it was routed: to a whole reply, to the end of a stream, and to
 * every error after routing. It tells what happened, not what was planned, so it is made when the reply or its failure
 * ends.
 */
@Injectable()
export class RouterMetadataInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<InferenceRequest>();
    if (wantsRouterMetadata(request.headers)) request.extras = viewRoute;
    return next.handle();
  }
}

/**
 * Two names of the same: the contract's, and the one that real clients look for
 * (docs/wire/routing-metadata.md#where-it-is-told). Nothing before there is a plan.
 */
function viewRoute(generation: Generation): JsonObject {
  const { plan, pipeline, answer, isSuccessful, isRouted } = generation;
  if (!plan || !isRouted) return {};
  const attempts = generation.attempts();
  // On errors no endpoint is the selected one.
  const view = routerMetadata(plan, { attempts, pipeline, ...(answer && isSuccessful && { answered: answer.leg }) });
  return { router_metadata: view, openrouter_metadata: view };
}
