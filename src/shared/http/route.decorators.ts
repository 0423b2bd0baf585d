import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller, KeyKind } from '../../core/caller.js';
import { ClosedQuery } from './query.guard.js';

/** Metadata key: the route answers without a key. */
export const OPEN = 'fairlead:open';
/** Metadata key: the one kind of key the route accepts. */
export const ACCEPTS = 'fairlead:accepts';

/** The route answers without a key. Every other route needs one: closed by default. */
export const Open = (): MethodDecorator & ClassDecorator => SetMetadata(OPEN, true);

/** Metadata key: the route answers without a key where the operator has made the catalogue public. */
export const OPEN_WITH_CATALOG = 'fairlead:open-with-catalog';

/** The route answers without a key where `FAIRLEAD_PUBLIC_CATALOG` is on; then it has no caller. */
export const OpenWithCatalog = (): MethodDecorator & ClassDecorator => SetMetadata(OPEN_WITH_CATALOG, true);

/** The route takes this kind of key only; without the decorator, either kind. Queries of management are closed. */
export const Accepts = (kind: KeyKind): MethodDecorator & ClassDecorator =>
  kind === 'management' ? applyDecorators(SetMetadata(ACCEPTS, kind), ClosedQuery()) : SetMetadata(ACCEPTS, kind);

/** A request after the guards. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
}

/** Passes the authenticated caller to a handler. */
export const FromCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<AuthenticatedRequest>().caller,
);
