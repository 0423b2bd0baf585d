import type { ModelRequest, OutputModality } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import { DRAWS } from './rules.js';

const MODALITIES: readonly OutputModality[] = ['image', 'text'];

/**
 * What a model that makes images is asked for: what the caller wants, else all that it gives. Undefined for a model of
 * words alone, which is not asked.
 */
export function wantedModalities({ modalities }: ModelRequest, target: Target): readonly OutputModality[] | undefined {
  if (!DRAWS.holds(target)) return undefined;
  return modalities ?? MODALITIES.filter((modality) => target.model.outputModalities.includes(modality));
}

/** Whether pictures are wanted of a model that makes them. */
export const wantsImages = (request: ModelRequest, target: Target): boolean =>
  wantedModalities(request, target)?.includes('image') === true;
