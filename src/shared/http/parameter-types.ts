import { Body, Query } from '@nestjs/common';

/** A class as decorators see it. */
type AnyClass = abstract new (...given: never[]) => object;

type ParameterKind = 'body' | 'query';

const PLACES: Readonly<Record<ParameterKind, string>> = {
  body: 'fairlead:body-parameters',
  query: 'fairlead:query-parameters',
};

/** Passes the body to a handler, and makes its class known to `parameterTypes`. */
export const FromBody = (): ParameterDecorator => noted('body', Body());

/** Passes the query to a handler, and makes its class known to `parameterTypes`. */
export const FromQuery = (): ParameterDecorator => noted('query', Query());

const noted =
  (kind: ParameterKind, passed: ParameterDecorator): ParameterDecorator =>
  (prototype, name, place) => {
    passed(prototype, name, place);
    const places = placesOf(prototype, String(name), kind);
    Reflect.defineMetadata(PLACES[kind], [...places, place], prototype, String(name));
  };

const placesOf = (prototype: object, name: string, kind: ParameterKind): readonly number[] =>
  (Reflect.getMetadata(PLACES[kind], prototype, name) as readonly number[] | undefined) ?? [];

/**
 * The declared types of a handler's parameters of one kind.
 * @param name of the handler
 */
export function parameterTypes(controller: AnyClass, name: string, kind: ParameterKind): readonly unknown[] {
  const prototype = controller.prototype as object;
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly unknown[];
  return placesOf(prototype, name, kind).map((place) => types[place]);
}
