import type { ModelRequest, OutputModality } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import { GENERATES_IMAGES } from './rules.js';

const MODALITIES: readonly OutputModality[] = ['image', 'text'];

/**
 * The modalities to request from a model that generates images: those that the caller requests, else all that it has.
 * Undefined for a model with text only, which gets no such field.
 */
export function wantedModalities({ modalities }: ModelRequest, target: Target): readonly OutputModality[] | undefined {
  if (!GENERATES_IMAGES.holds(target)) return undefined;
  return modalities ?? MODALITIES.filter((modality) => target.model.outputModalities.includes(modality));
}

/** Whether images are requested from a model that generates them. */
export const wantsImages = (request: ModelRequest, target: Target): boolean =>
  wantedModalities(request, target)?.includes('image') === true;
