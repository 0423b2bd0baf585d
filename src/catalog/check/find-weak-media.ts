import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { findingOf, type Finding } from './finding.js';
import { MEDIA_BASES, type MediaBasis } from './read-sources.js';

const WORDS: Readonly<Record<MediaBasis, string>> = {
  vendor: '',
  family: 'image_tokens_max or page_tokens_max is that of a relative: its vendor publishes none of its own',
  'third-party': 'image_tokens_max or page_tokens_max is from a third party, not from its vendor',
  assumed: 'image_tokens_max or page_tokens_max is assumed: the largest that is known of comparable models',
};

/** Maxima of media that are not their vendor's own, in models that have the shipped figures. */
export function findWeakMedia(
  models: readonly Model[],
  shipped: CatalogSnapshot,
  bases: ReadonlyMap<string, MediaBasis> | undefined,
): readonly Finding[] {
  const weak = models.filter((model) => hasFiguresOf(model, shipped.models.get(model.id)));
  return MEDIA_BASES.flatMap((basis) =>
    findingOf(
      'missing',
      'model',
      WORDS[basis],
      weak.filter(({ id }) => bases?.get(id) === basis).map(({ id }) => id),
    ),
  );
}

const hasFiguresOf = (model: Model, shipped: Model | undefined): boolean =>
  shipped !== undefined &&
  model.imageTokensMax === shipped.imageTokensMax &&
  model.pageTokensMax === shipped.pageTokensMax;
