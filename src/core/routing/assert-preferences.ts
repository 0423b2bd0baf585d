import { GatewayError } from '../errors.js';
import type { ProviderPreferences } from './preferences.js';
import { coversSlug, readSlug, type SlugPattern } from './slug.js';

/** @throws GatewayError `invalid-request` when `ignore` excludes everything `only` allows: no catalog could serve it */
export function assertNoContradiction({ only = [], ignore = [] }: ProviderPreferences): void {
  if (only.length === 0 || ignore.length === 0) return;
  const ignored = ignore.map(readSlug);
  const isIgnored = (allowed: SlugPattern): boolean => ignored.some((pattern) => coversSlug(pattern, allowed));
  if (!only.every((entry) => isIgnored(readSlug(entry)))) return;
  throw new GatewayError(
    'invalid-request',
    'provider.only: every entry is in provider.ignore as well, so no provider is left; take it out of one of the two',
  );
}
