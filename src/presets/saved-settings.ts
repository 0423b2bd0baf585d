import { GatewayError } from '../core/errors.js';
import { isJsonObject, printJson, type Json, type JsonObject } from '../core/json/json.js';
import type { Warning } from '../core/warning.js';
import { namedPreset, PRESET_MARK } from './merge-preset.js';
import { settingsOf, type PresetFormat } from './preset-format.js';
import type { PresetVersionEntity } from './preset.entity.js';

/** The part of a body that a version stores. */
export type SavedSettings = Pick<PresetVersionEntity, 'api' | 'config' | 'systemPrompt'>;

/** Bytes of settings and system prompt together. */
const SAVED_BYTES_MAX = 1024 * 1024;
const CACHE_SECONDS_MAX = 86_400;

/**
 * The settings of an inference body whose fields are valid.
 * @throws GatewayError `invalid-request` for a body that names a preset, and invalid settings of the cache; `too-large`
 */
export function readSettings(
  body: JsonObject,
  format: PresetFormat,
): { readonly saved: SavedSettings; readonly warnings: readonly Warning[] } {
  assertNoPreset(body);
  assertCache(body);
  format.assertValid(body);
  const system = format.system(body);
  const saved = { api: format.api, config: printJson(settingsOf(body)), systemPrompt: system?.text ?? null };
  if (Buffer.byteLength(saved.config) + Buffer.byteLength(saved.systemPrompt ?? '') > SAVED_BYTES_MAX)
    throw new GatewayError('too-large', `A preset has at most ${SAVED_BYTES_MAX} bytes.`);
  return { saved, warnings: system?.hasMore ? [ONLY_TEXT] : [] };
}

const ONLY_TEXT: Warning = { field: 'system_prompt', message: 'only the text of the system prompt is saved' };

function assertNoPreset(body: JsonObject): void {
  const field = namedPreset(body) ? 'preset' : MODEL_LISTS.find((name) => hasPreset(body[name]));
  if (field) throw new GatewayError('invalid-request', `${field}: a preset cannot name a preset`);
}

/** Fields whose entries are models, or name one. */
const MODEL_LISTS = ['models', 'fallbacks'] as const;

function hasPreset(list: Json | undefined): boolean {
  const entries: readonly Json[] = Array.isArray(list) ? list : [];
  return entries.some((entry) => {
    const model = isJsonObject(entry) ? entry['model'] : entry;
    return typeof model === 'string' && model.includes(PRESET_MARK);
  });
}

function assertCache({ cache_enabled: enabled, cache_ttl_seconds: seconds }: JsonObject): void {
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw new GatewayError('invalid-request', 'cache_enabled: must be a boolean');
  if (seconds === undefined) return;
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > CACHE_SECONDS_MAX)
    throw new GatewayError('invalid-request', `cache_ttl_seconds: must be an integer from 1 to ${CACHE_SECONDS_MAX}`);
}
