import type { CatalogSnapshot } from '../core/routing/catalog.js';
import type { StartedWith } from './start-summary.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';

/** Limit of names in a row; beyond it their number is shown. */
const NAMES_MAX = 5;
/** Maximum number of variables that are named for providers without a credential. */
const VARIABLES_MAX = 3;

/** The inputs of a banner. */
export interface BannerOf extends StartedWith {
  /** The address it listens at, without a path. */
  readonly url: string;
  /** Whether keys were generated at this start, and are printed after the banner. */
  readonly hasNewKeys: boolean;
}

/** The most important facts for a person at a terminal, in a few lines without secrets. */
export function startBanner({ url, environment, catalog, isReachable, hasNewKeys }: BannerOf): string {
  const models = [...catalog.models.values()];
  const callable = models.filter(({ endpoints }) => endpoints.some(({ provider }) => isReachable(provider)));
  const rows = [
    ...(environment.console === 'on' ? [['Console', `${url}/console`]] : []),
    ['Reference', `${url}/docs`],
    ['API', `${url}/api/v1, and ${url}/api for Anthropic clients`],
    ['Keys', hasNewKeys ? 'printed below, this once' : 'as they were: a lost one is replaced by POST /api/v1/keys'],
    ['Models', `${callable.length} of ${models.length} can be called: ${shortList(callable.map(({ id }) => id))}`],
    ['Providers', `${howToAdd(catalog, isReachable)} (docs/operate/catalog.md)`],
    ['Data', environment.databaseUrl ? 'PostgreSQL' : `embedded database in ${environment.dataDir}`],
  ];
  const width = Math.max(...rows.map(([name]) => name!.length));
  const lines = rows.map(([name, text]) => `  ${name!.padEnd(width)}  ${text}`);
  return [`Fairlead ${PACKAGE_VERSION} listens at ${url}`, '', ...lines, ''].join('\n');
}

const shortList = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.slice(0, NAMES_MAX).join(', ') + (names.length > NAMES_MAX ? ', …' : '');

/** The variables of providers that have no credential yet. */
function howToAdd({ providers }: CatalogSnapshot, isReachable: StartedWith['isReachable']): string {
  const variables = [...providers.values()].flatMap((provider) => {
    const { credentialSource: source } = provider;
    return typeof source === 'object' && 'env' in source && !isReachable(provider) ? [source.env] : [];
  });
  if (variables.length === 0) return 'add one to the file that FAIRLEAD_CATALOG names';
  const [some, others] = [variables.slice(0, VARIABLES_MAX), variables.length - VARIABLES_MAX];
  return `start with ${some.join(' or ')} to add one${others > 0 ? `, or one of ${others} others` : ''}`;
}
