import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import type { PresetUse } from '../core/conversation/preset-use.js';
import type { JsonObject } from '../core/json/json.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { readInTime } from '../shared/within-time.js';
import { mergePreset, namedPreset, type MergedBody, type NamedPreset } from './merge-preset.js';
import type { PresetFormat } from './preset-format.js';
import { presetSlug } from './preset-slug.js';
import type { DesignatedPreset } from './preset.entity.js';
import { PresetsRepository, type PresetScope } from './presets.repository.js';

/** A body that a preset completed. */
export interface AppliedPreset extends Omit<MergedBody, 'cache'> {
  readonly use: PresetUse;
}

/** Characters of presets in memory: sixty of the largest. Chosen. */
const CACHED_CHARACTERS_MAX = 64 * 1024 * 1024;
/** What a preset without settings counts as, in characters. */
const EMPTY_CHARACTERS = 1_024;
/** Slugs in memory that name no preset. Chosen. */
const MISSING_MAX = 1_000;

/** Completes bodies by the presets that they name. A change is in force everywhere within five seconds. */
@Injectable()
export class ActivePresets {
  private readonly presets: FreshCache<DesignatedPreset>;

  constructor(repository: PresetsRepository, clock: Clock) {
    this.presets = new FreshCache((key) => readInTime('The presets', repository.designated(...scopeOf(key))), clock, {
      known: CACHED_CHARACTERS_MAX,
      missing: MISSING_MAX,
      sizeOf: ({ version }) => EMPTY_CHARACTERS + version.config.length + (version.systemPrompt?.length ?? 0),
    });
  }

  /**
   * @returns undefined where the body names no preset
   * @throws GatewayError `not-found` for an unknown preset; `invalid-request` as `mergePreset`; `service-unavailable`
   *   when the store does not answer in time
   */
  async apply(body: JsonObject, caller: Caller, format: PresetFormat): Promise<AppliedPreset | undefined> {
    const named = namedPreset(body);
    return named && this.complete(named, caller, format);
  }

  /** To be called after a change is committed. */
  forget(scope: PresetScope, slug: string): void {
    this.presets.forget(keyOf(scope, slug));
  }

  private async complete(named: NamedPreset, caller: Caller, format: PresetFormat): Promise<AppliedPreset> {
    // Other texts of callers are no keys of the cache: they may be as long as a body.
    const found = presetSlug.check(named.slug) ? await this.presets.find(keyOf(caller, named.slug)) : undefined;
    if (!found)
      throw new GatewayError('not-found', 'preset: there is no preset with this slug in the workspace of the key');
    const { preset, version } = found;
    const { cache, ...merged } = mergePreset(named, found, format);
    const use = { id: preset.id, slug: preset.slug, version: version.version, ...(cache && { cache }) };
    return { ...merged, use };
  }
}

const keyOf = ({ accountId, workspaceId }: PresetScope, slug: string): string => `${accountId} ${workspaceId} ${slug}`;

function scopeOf(key: string): [PresetScope, string] {
  const [accountId = '', workspaceId = '', slug = ''] = key.split(' ');
  return [{ accountId, workspaceId }, slug];
}
