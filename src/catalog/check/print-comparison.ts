import type { CatalogChanges, EntryNames, FigureChange } from './compare-catalogs.js';
import type { RouteDifference, RouteDifferences, ShareDifference } from './compare-routes.js';
import { pluralize } from '../../core/text/pluralize.js';
import { listLines, listNames, type ShownMax } from './print-lists.js';
import { REPRESENTATIVE_REQUESTS } from './representative-requests.js';

/** The differences between two catalogs, and the routes that change with them. */
export type Comparison = CatalogChanges & RouteDifferences;

export function printComparison(
  before: string,
  after: string,
  { added, removed, figures, routes, shares }: Comparison,
  max: ShownMax,
): string {
  return [
    `${before} → ${after}\n`,
    section('Added', listEntries(added, max), max),
    section('Removed', listEntries(removed, max), max),
    section(`Changed: ${pluralize(figures.length, 'figure')}`, figures.map(describeChange), max),
    section(`Routes differently: ${pluralize(countModels(routes), 'model')}`, routes.map(describeRoute), max),
    section(
      `Drawn otherwise: ${pluralize(countModels(shares), 'model')}, how many requests in a hundred go there first`,
      describeShares(shares),
      max,
    ),
  ].join('');
}

/** Whether there is any difference. */
export const isDifferent = ({ added, removed, figures, routes, shares }: Comparison): boolean =>
  hasEntries(added) || hasEntries(removed) || figures.length + routes.length + shares.length > 0;

const hasEntries = ({ providers, models, endpoints }: EntryNames): boolean =>
  providers.length + models.length + endpoints.length > 0;

const section = (title: string, texts: readonly string[], max: ShownMax): string =>
  `\n${title}\n${texts.length === 0 ? '  nothing\n' : listLines('  ', texts, max)}`;

function listEntries({ providers, models, endpoints }: EntryNames, max: ShownMax): readonly string[] {
  const kinds = [
    ['provider', providers],
    ['model', models],
    ['endpoint', endpoints],
  ] as const;
  return kinds
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${pluralize(names.length, kind)}: ${listNames(names, max)}`);
}

function describeChange({ subject, figure, before, after }: FigureChange): string {
  if (before === undefined) return `${subject}: ${figure} is ${after}, was not set`;
  if (after === undefined) return `${subject}: ${figure} is no longer set, was ${before}`;
  return `${subject}: ${figure} is ${after}, was ${before}`;
}

const countModels = (differences: readonly { readonly model: string }[]): number =>
  new Set(differences.map(({ model }) => model)).size;

function describeRoute({ model, requests, before, after }: RouteDifference): string {
  const which = requests.length === REPRESENTATIVE_REQUESTS.length ? 'every request' : requests.join(', ');
  return `${model}, ${which}: ${describeLegs(before, after)}`;
}

/** The most important change, from the caller's point of view. */
function describeLegs(before: readonly string[], after: readonly string[]): string {
  if (after.length === 0) return `no endpoint left (was ${before.length}: ${before.join(', ')})`;
  if (before.length === 0) return `now ${pluralize(after.length, 'leg')}: ${after.join(', ')} (was none)`;
  const come = after.filter((tag) => !before.includes(tag));
  const gone = before.filter((tag) => !after.includes(tag));
  const parts = [
    ...(after[0] === before[0] ? [] : [`now first ${after[0]} (was ${before[0]})`]),
    ...(come.length === 0 ? [] : [`new: ${come.join(', ')}`]),
    ...(gone.length === 0 ? [] : [`gone: ${gone.join(', ')}`]),
  ];
  return parts.length > 0 ? parts.join('; ') : `now ${after.join(', ')} (was ${before.join(', ')})`;
}

function describeShares(shares: readonly ShareDifference[]): readonly string[] {
  const byModel = new Map<string, string[]>();
  for (const { model, tag, before, after } of shares) {
    const entries = byModel.get(model) ?? [];
    entries.push(`${tag} ${after} (was ${before})`);
    byModel.set(model, entries);
  }
  return [...byModel].map(([model, entries]) => `${model}: ${entries.join(', ')}`);
}
