import { Body, Query } from '@nestjs/common';

/** A class as decorators see it. */
type AnyClass = abstract new (...parameters: never[]) => object;

type ParameterKind = 'body' | 'query';

const INDEX_KEYS: Readonly<Record<ParameterKind, string>> = {
  body: 'fairlead:body-parameters',
  query: 'fairlead:query-parameters',
};

/** Passes the body to a handler, and makes its class known to `parameterTypes`. */
export const FromBody = (): ParameterDecorator => noted('body', Body());

/** Passes the query to a handler, and makes its class known to `parameterTypes`. */
export const FromQuery = (): ParameterDecorator => noted('query', Query());

const noted =
  (kind: ParameterKind, passed: ParameterDecorator): ParameterDecorator =>
  (prototype, name, index) => {
    passed(prototype, name, index);
    const indexes = indexesOf(prototype, String(name), kind);
    Reflect.defineMetadata(INDEX_KEYS[kind], [...indexes, index], prototype, String(name));
  };

const indexesOf = (prototype: object, name: string, kind: ParameterKind): readonly number[] =>
  (Reflect.getMetadata(INDEX_KEYS[kind], prototype, name) as readonly number[] | undefined) ?? [];

/**
 * The declared types of a handler's parameters of one kind.
 * @param name of the handler
 */
export function parameterTypes(controller: AnyClass, name: string, kind: ParameterKind): readonly unknown[] {
  const prototype = controller.prototype as object;
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly unknown[];
  return indexesOf(prototype, name, kind).map((index) => types[index]);
}
