import { RequestMethod } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { KeyKind } from '../core/caller.js';
import { BASE_PATH, OUTSIDE_BASE_PATH } from '../shared/http/base-path.js';
import { answerOf, isUnlisted } from '../shared/http/answers.decorator.js';
import { fieldsOf } from '../shared/http/dto-schema.js';
import { parameterTypes } from '../shared/http/parameter-types.js';
import { ACCEPTS, OPEN } from '../shared/http/route.decorators.js';
import type { DescribedRoute, Dto } from './route.js';

/** A class with `@Controller()`. */
export type ControllerClass = new (...parameters: never[]) => object;

/**
 * The documented routes of these controllers, in the order of their handlers.
 * @throws Error for a handler without a described answer
 */
export const collectRoutes = (controllers: readonly ControllerClass[]): readonly DescribedRoute[] =>
  controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const handler = (controller.prototype as Readonly<Record<string, unknown>>)[name];
      const isRoute = typeof handler === 'function' && Reflect.hasMetadata(METHOD_METADATA, handler);
      return isRoute && !isUnlisted(handler) ? [describe(controller, name, handler)] : [];
    }),
  );

function describe(controller: ControllerClass, name: string, handler: object): DescribedRoute {
  const answer = answerOf(handler);
  const handlerName = `${controller.name}.${name}`;
  if (!answer) throw new Error(`${handlerName} does not declare its reply: use @Answers.`);
  const read = <T>(key: string): T | undefined =>
    (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const { path, ...mounts } = mountedPathOf(
    pathsOf(controller).flatMap((base) => pathsOf(handler).map((own) => join(base, own))),
  );
  const [body] = dtosOf(controller, name, 'body');
  const [query] = dtosOf(controller, name, 'query');
  return {
    name: operationName(controller, name),
    method: method.toLowerCase(),
    path,
    ...mounts,
    isOpen: read<boolean>(OPEN) ?? false,
    keyKind: read<KeyKind>(ACCEPTS),
    status: read<number>(HTTP_CODE_METADATA) ?? (method === 'POST' ? 201 : 200),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!),
    query,
    bodies: answer.bodies ?? (body ? [body] : []),
    answer,
  };
}

const pathsOf = (decorated: object): readonly string[] =>
  [Reflect.getMetadata(PATH_METADATA, decorated) as string].flat();

/** `/keys/{hash}` */
const join = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`.replaceAll(/:(\w+)/g, '{$1}');

type MountedPath = Pick<DescribedRoute, 'path' | 'isBelowBasePath' | 'isAtRoot'>;

/**
 * The path of a handler, which may be served at the root and below the base path, with the same path at both.
 */
function mountedPathOf(paths: readonly string[]): MountedPath {
  const atRoot = paths.filter((path) => OUTSIDE_BASE_PATH.includes(path.slice(1)) && !path.startsWith(BASE_PATH));
  const [path, ...others] = new Set(
    paths.map((address) => (address.startsWith(BASE_PATH) ? address.slice(BASE_PATH.length) : address)),
  );
  if (path === undefined || others.length > 0) throw new Error(`${paths.join(', ')}: one handler, one path`);
  return { path, isAtRoot: atRoot.length > 0, isBelowBasePath: atRoot.length < paths.length };
}

/** The decorated classes among a handler's arguments of one kind. */
const dtosOf = (controller: ControllerClass, name: string, kind: 'body' | 'query'): readonly Dto[] =>
  (parameterTypes(controller, name, kind) as readonly Dto[]).filter(
    (type) => typeof type === 'function' && fieldsOf(type).length > 0,
  );

/** `keysCreate` */
function operationName({ name }: ControllerClass, handler: string): string {
  const resource = name.replace(/Controller$/, '');
  return `${resource[0]!.toLowerCase()}${resource.slice(1)}${handler[0]!.toUpperCase()}${handler.slice(1)}`;
}
