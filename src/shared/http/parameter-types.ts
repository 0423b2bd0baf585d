import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** A class as decorators know it. */
type AnyClass = abstract new (...given: never[]) => object;

/**
 * The declared types of those of a handler's parameters that are of one kind, such as `@Body()`.
 * @param name of the handler
 */
export function parameterTypes(controller: AnyClass, name: string, kind: RouteParamtypes): readonly unknown[] {
  const given = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly index: number }>
  >;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as readonly unknown[];
  return Object.entries(given)
    .filter(([key]) => key.startsWith(`${kind}:`))
    .map(([, { index }]) => types[index]);
}
