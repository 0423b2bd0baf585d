import type { CatalogProvider } from '../../core/routing/catalog.js';
import type { Quirks } from '../../core/quirks.js';

/** Quirks in the form of a catalog file: the same names, with underscores. */
export const viewQuirks = (quirks: Quirks): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(quirks)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/** The data policy and the billing of abandoned calls of a shipped entry. */
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
