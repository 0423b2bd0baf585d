import type { Application } from 'express';

/** The routes of the application at a path. */
export interface RoutesAt {
  /** Allowed methods, in capitals, sorted; empty: the address does not exist. */
  readonly methods: readonly string[];
  /** The pattern, with names of its parameters: `/api/v1/keys/{hash}`. */
  readonly pattern: string;
  /** Patterns of routes below it with the requested method. */
  readonly below: readonly string[];
}

interface Route {
  /** Method in capitals. */
  readonly method: string;
  /** Pattern in the form of `RoutesAt.pattern`. */
  readonly pattern: string;
  /** Matches whole paths, without a query. */
  readonly address: RegExp;
}

/** A wildcard at the end of a path: one or more further names. */
const REST = /\/\*\w+$/;

/** The routes of an application, as they are registered. */
export class RouteTable {
  private readonly routes: Route[] = [];

  /**
   * @param path in Express's form: `/api/v1/keys/:hash`, `/docs/*path`
   * @throws TypeError for optional parts, and wildcards elsewhere than at the end
   */
  add(method: string, path: string): void {
    if (/[^\w\-./:]/.test(path.replace(REST, '')))
      throw new TypeError(`${path}: a route has names and parameters only`);
    const source = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replace(REST, '/.+');
    // Express ignores case and a slash at the end, unless it is configured otherwise.
    const address = new RegExp(`^${source}/?$`, 'i');
    this.routes.push({ method: method.toUpperCase(), pattern: path.replaceAll(/[:*](\w+)/g, '{$1}'), address });
  }

  /** @param method in capitals */
  at(path: string, method: string): RoutesAt {
    const found = this.routes.filter(({ address }) => address.test(path));
    const pattern = found.at(-1)?.pattern ?? path;
    const below =
      found.length === 0 ? [] : this.patterns(method).filter((candidate) => candidate.startsWith(`${pattern}/`));
    return {
      methods: [...new Set(found.map((route) => route.method))].sort(),
      pattern,
      below: [...new Set(below)].sort(),
    };
  }

  /** Patterns of all routes with a method, in capitals. */
  patterns(method: string): readonly string[] {
    return this.routes.filter((route) => route.method === method).map(({ pattern }) => pattern);
  }
}

const LOCAL = 'routes';

/** Makes the routes of an application known to its error handlers. */
export function keepRoutes({ locals }: Application, table: RouteTable): void {
  locals[LOCAL] = table;
}

export const routesOf = ({ locals }: Application): RouteTable => locals[LOCAL] as RouteTable;
