import type { ComponentType } from 'preact';

/** What a page gets of its address. */
export interface PageProps {
  /** What stands behind the page's own path, such as an id; empty: nothing. */
  readonly rest: string;
}

/** A page of the console. */
export interface Route {
  /** The first name of its path; empty: the first page. */
  readonly path: string;
  readonly title: string;
  /** Whether ids stand below it. */
  readonly hasIds?: boolean;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** The pages, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  {
    path: '',
    title: 'Overview',
    load: async () => (await import('../pages/overview/overview.js')).Overview,
  },
  {
    path: 'generations',
    title: 'Generations',
    hasIds: true,
    load: async () => (await import('../pages/generations/generations.js')).Generations,
  },
  {
    // `sessions` itself is the route that lists them.
    path: 'signed-in',
    title: 'Sessions',
    load: async () => (await import('../pages/sessions/sessions.js')).Sessions,
  },
];

/** The page of a path, and what stands behind its own; undefined where there is none. */
export function routeAt(path: string): { readonly route: Route; readonly rest: string } | undefined {
  const [name = '', ...rest] = path.split('/');
  const route = ROUTES.find((one) => one.path === name);
  return route && (rest.length === 0 || route.hasIds) ? { route, rest: rest.join('/') } : undefined;
}
