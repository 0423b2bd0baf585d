import type { CatalogProvider } from '../../core/routing/catalog.js';
import type { Quirks } from '../../core/quirks.js';

/** Quirks as a catalog file has them: the same words, with underscores. */
export const viewQuirks = (quirks: Quirks): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(quirks)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/** What a shipped entry says of data and of calls that are left. */
export function viewTerms({ policy, aborts }: CatalogProvider): Readonly<Record<string, unknown>> {
  const { collectsData, trains, retentionDays, zeroDataRetention, region } = policy;
  return {
    policy: {
      collects_data: collectsData,
      ...(trains !== undefined && { trains }),
      ...(retentionDays !== undefined && { retention_days: retentionDays }),
      zero_data_retention: zeroDataRetention,
      ...(region !== undefined && { region }),
    },
    ...(aborts && { aborts: { stream: aborts.stream, whole: aborts.whole } }),
  };
}
