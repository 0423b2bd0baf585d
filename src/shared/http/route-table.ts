import type { Application } from 'express';

/** What is used of a layer of Express's router. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** What routes of the application have to say of an address. */
export interface RoutesAt {
  /** That are answered there, in capitals, sorted; none: there is no such address. */
  readonly methods: readonly string[];
  /** As they were read, with names for what may be anything: `/api/v1/keys/{hash}`. */
  readonly pattern: string;
  /** Patterns of what is answered below by the method that was asked for. */
  readonly below: readonly string[];
}

/** @param method in capitals */
export function routesAt(application: Application, path: string, method: string): RoutesAt {
  const stack = stackOf(application);
  const methods = new Set<string>();
  const below = new Set<string>();
  let pattern = path;
  for (const layer of stack) {
    const own = methodOf(layer);
    if (own === undefined || !layer.match(path)) continue;
    methods.add(own);
    pattern = patternOf(layer);
  }
  for (const layer of methods.size > 0 ? stack : []) {
    if (methodOf(layer) === method && patternOf(layer).startsWith(`${pattern}/`)) below.add(patternOf(layer));
  }
  return { methods: [...methods].sort(), pattern, below: [...below].sort() };
}

/** Of all routes that answer a method, as `RoutesAt.pattern`. */
export const patternsOf = (application: Application, method: string): readonly string[] =>
  stackOf(application)
    .filter((layer) => methodOf(layer) === method)
    .map(patternOf);

const stackOf = (application: Application): readonly Layer[] =>
  (application.router as unknown as { stack: readonly Layer[] }).stack;

/** Nest gives each route of ours one method. What takes every method is its own refusal of what no route has taken. */
function methodOf({ route }: Layer): string | undefined {
  const [method, ...others] = route ? Object.keys(route.methods) : [];
  return others.length === 0 ? method?.toUpperCase() : undefined;
}

const patternOf = ({ route }: Layer): string => route!.path.replace(/:(\w+)/g, '{$1}');
