import type { ComponentType } from 'preact';

/** Props of every page. */
export interface PageProps {
  /** The rest of the path behind the page's own, such as an id; empty where there is none. */
  readonly rest: string;
}

/** A page of the console. */
export interface Route {
  /** The first name of its path; empty: the first page. */
  readonly path: string;
  readonly title: string;
  /** Whether its path may be followed by an id. */
  readonly hasIds?: boolean;
  /** Path of the entry of the navigation under which it is found; absent: it has an entry of its own. */
  readonly partOf?: string;
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
    path: 'keys',
    title: 'Keys',
    hasIds: true,
    load: async () => (await import('../pages/keys/keys.js')).Keys,
  },
  {
    path: 'byok',
    title: 'BYOK',
    hasIds: true,
    load: async () => (await import('../pages/byok/byok.js')).Byok,
  },
  {
    path: 'providers',
    title: 'Providers',
    hasIds: true,
    load: async () => (await import('../pages/providers/providers.js')).Providers,
  },
  {
    path: 'models',
    title: 'Models',
    hasIds: true,
    load: async () => (await import('../pages/models/models.js')).Models,
  },
  {
    path: 'explain',
    title: 'Explain',
    load: async () => (await import('../pages/explain/explain.js')).Explain,
  },
  {
    path: 'workspaces',
    title: 'Workspaces',
    hasIds: true,
    load: async () => (await import('../pages/workspaces/workspaces.js')).Workspaces,
  },
  {
    path: 'budgets',
    title: 'Budgets',
    hasIds: true,
    partOf: 'workspaces',
    load: async () => (await import('../pages/budgets/budgets.js')).Budgets,
  },
  {
    path: 'guardrails',
    title: 'Guardrails',
    hasIds: true,
    load: async () => (await import('../pages/guardrails/guardrails.js')).Guardrails,
  },
  {
    path: 'credits',
    title: 'Credits',
    hasIds: true,
    load: async () => (await import('../pages/credits/credits.js')).Credits,
  },
  {
    path: 'alarms',
    title: 'Alarms',
    hasIds: true,
    load: async () => (await import('../pages/alarms/alarms.js')).Alarms,
  },
  {
    path: 'destinations',
    title: 'Destinations',
    hasIds: true,
    partOf: 'alarms',
    load: async () => (await import('../pages/destinations/destinations.js')).Destinations,
  },
  {
    path: 'audit',
    title: 'Audit',
    load: async () => (await import('../pages/audit/audit.js')).Audit,
  },
  {
    path: 'preferences',
    title: 'Preferences',
    hasIds: true,
    load: async () => (await import('../pages/preferences/preferences.js')).Preferences,
  },
  {
    path: 'presets',
    title: 'Presets',
    hasIds: true,
    load: async () => (await import('../pages/presets/presets.js')).Presets,
  },
  {
    path: 'clients',
    title: 'Client setup',
    load: async () => (await import('../pages/client-setup/client-setup.js')).ClientSetup,
  },
  {
    path: 'playground',
    title: 'Playground',
    load: async () => (await import('../pages/playground/playground.js')).Playground,
  },
  {
    // `sessions` itself is the route that lists them.
    path: 'signed-in',
    title: 'Sessions',
    load: async () => (await import('../pages/sessions/sessions.js')).Sessions,
  },
];

/** The page of a path, and the rest of the path; undefined if there is none. */
export function routeAt(path: string): { readonly route: Route; readonly rest: string } | undefined {
  const [name = '', ...rest] = path.split('/');
  const route = ROUTES.find((one) => one.path === name);
  return route && (rest.length === 0 || route.hasIds) ? { route, rest: rest.join('/') } : undefined;
}
