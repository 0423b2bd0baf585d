import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { readModelName } from '../core/routing/model-name.js';
import { PRESET_MARK } from '../presets/merge-preset.js';
import { PresetsRepository, type ListedPreset } from '../presets/presets.repository.js';
import { createEntry, type ModelEntry } from './model-entry.js';

/** The presets of a workspace as models: what clients list is what they can call. */
@Injectable()
export class PresetEntries {
  constructor(private readonly presets: PresetsRepository) {}

  /**
   * Presets of the caller's workspace that name one of these models, each with that model's endpoints. A preset without
   * a model cannot be called by its name alone.
   */
  async of(caller: Caller, allowed: readonly ModelEntry[]): Promise<ModelEntry[]> {
    const presets = await this.presets.listActive(caller);
    if (presets.length === 0) return [];
    const byId = new Map(allowed.map((entry) => [entry.model.id, entry]));
    return presets.flatMap((found) => {
      const entry = typeof found.model === 'string' ? byId.get(readModelName(found.model).id) : undefined;
      return entry ? [presetEntry(found, entry)] : [];
    });
  }
}

function presetEntry({ slug, name }: ListedPreset, { model, endpoints }: ModelEntry): ModelEntry {
  return createEntry({ ...model, id: `${PRESET_MARK}${slug}`, name }, endpoints);
}
