import { Injectable, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { GatewayError } from '../../core/errors.js';
import { DtoRules } from './dto-rules.js';
import { suggestOrListParameters } from './nearest-name.js';
import { parameterTypes } from './parameter-types.js';
import { pathText } from './schema.js';

/** Names of the query parameters of each handler that has been called with one. */
const PARAMETERS = new WeakMap<object, readonly string[]>();

/**
 * Methods that only read: the query selects what is returned. For other methods clients add parameters of their own.
 */
const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses query parameters of a `GET` that the DTO of the route does not declare, with a 400 that names the most
 * similar one (docs/use/conventions.md#unknown-parameters).
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, query } = context.switchToHttp().getRequest<Request>();
    const names = Object.keys(query);
    if (names.length === 0 || !READING.has(method)) return true;
    const known = PARAMETERS.get(context.getHandler()) ?? readParameters(context);
    const unknownParameter = names.find((name) => !known.includes(name));
    if (unknownParameter === undefined) return true;
    throw new GatewayError(
      'invalid-request',
      `${pathText([unknownParameter])}: ${suggestOrListParameters(unknownParameter, known)}`,
    );
  }
}

/** Closes the query of a `GET`. For routes of management, where an ignored filter would return too much. */
export const ClosedQuery = (): MethodDecorator & ClassDecorator => UseGuards(QueryGuard);

function readParameters(context: ExecutionContext): readonly string[] {
  const handler = context.getHandler();
  const dtos = parameterTypes(context.getClass(), handler.name, 'query');
  const names = dtos.flatMap((dto) => [...DtoRules.of(dto).fields]);
  PARAMETERS.set(handler, names);
  return names;
}
