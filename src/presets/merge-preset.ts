import { GatewayError } from '../core/errors.js';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../core/json/json.js';
import type { PresetUse } from '../core/conversation/preset-use.js';
import type { Warning } from '../core/warning.js';
import { convertSettings } from './convert-settings.js';
import type { PresetFormat } from './preset-format.js';
import type { DesignatedPreset } from './preset.entity.js';
import { fillVariables, readVariables } from './preset-variables.js';

/** Between the model and the preset of a name: `openai/gpt-5@preset/support`. */
export const PRESET_MARK = '@preset/';

/** The preset that a body names, and the body without that name. */
export interface NamedPreset {
  readonly slug: string;
  readonly body: JsonObject;
}

/**
 * @returns undefined where the body names none
 * @throws GatewayError `invalid-request` where it names two
 */
export function namedPreset(body: JsonObject): NamedPreset | undefined {
  const { preset, model, ...rest } = body;
  const mark = typeof model === 'string' ? model.indexOf(PRESET_MARK) : -1;
  const ofModel = mark === -1 ? undefined : (model as string).slice(mark + PRESET_MARK.length);
  const ofField = typeof preset === 'string' ? preset : undefined;
  const slug = ofField ?? ofModel;
  if (slug === undefined) return undefined;
  if (ofModel !== undefined && ofModel !== slug)
    throw new GatewayError('invalid-request', 'preset: differs from the preset that model names');
  const own = mark === -1 ? model : (model as string).slice(0, mark);
  return { slug, body: own === undefined || own === '' ? rest : { model: own, ...rest } };
}

/** A body with the settings of a preset, and what of them its format has no form for. */
export interface MergedBody {
  readonly body: JsonObject;
  readonly warnings: readonly Warning[];
  /** The preset's settings of the response cache; absent: it has none. */
  readonly cache?: NonNullable<PresetUse['cache']>;
}

/**
 * Fields of the request replace those of the preset, whole; tools are united.
 * @throws GatewayError `invalid-request` for a preset that is not active or names a preset, and a variable without a
 *   value
 */
export function mergePreset(
  { slug, body }: NamedPreset,
  { preset, version }: DesignatedPreset,
  format: PresetFormat,
): MergedBody {
  if (preset.status !== 'active') throw new GatewayError('invalid-request', `preset: ${slug} is ${preset.status}`);
  const saved = parseJson(version.config) as JsonObject;
  if (namedPreset(saved))
    throw new GatewayError('invalid-request', `preset: ${slug} names a preset, and cannot be used`);
  const { preset_variables: variables, ...request } = body;
  const { cache_enabled: isOn, cache_ttl_seconds: ttlSeconds, ...config } = saved;
  const cache = { isOn: isOn as boolean | undefined, ttlSeconds: ttlSeconds as number | undefined };
  const { settings, lost } = convertSettings(config, version.api, format.api, format.fields);
  const replaced = replacedBy(request, format);
  const base = Object.fromEntries(Object.entries(settings).filter(([name]) => !replaced.has(name)));
  const tools = unitedTools(settings['tools'], request['tools']);
  const merged = { ...base, ...request, ...(tools && { tools }) };
  const { systemPrompt } = version;
  const isAdded = systemPrompt !== null && format.system(request) === undefined;
  return {
    body: isAdded ? format.withSystem(merged, fillVariables(systemPrompt, readVariables(variables))) : merged,
    ...((isOn !== undefined || ttlSeconds !== undefined) && { cache }),
    warnings: lost.map((field) => ({
      field: 'preset',
      message: `${field} has no form in this API format, and is not used`,
    })),
  };
}

/** The names of settings that the request replaces by another name. */
function replacedBy(request: JsonObject, { alternatives }: PresetFormat): ReadonlySet<string> {
  return new Set(alternatives.filter((group) => group.some((name) => request[name] !== undefined)).flat());
}

/** The preset's order first; a tool of both is defined by the request. Undefined: one of the two has none. */
function unitedTools(ofPreset: Json | undefined, ofRequest: Json | undefined): readonly Json[] | undefined {
  if (!Array.isArray(ofPreset) || !Array.isArray(ofRequest)) return undefined;
  const united = new Map<string | Json, Json>();
  for (const tool of [...(ofPreset as readonly Json[]), ...(ofRequest as readonly Json[])])
    united.set(identityOf(tool), tool);
  return [...united.values()];
}

/** Service tools of which a request may have several, under names. */
const NAMED_SERVICE_TOOLS: ReadonlySet<Json | undefined> = new Set(['openrouter:advisor', 'openrouter:subagent']);

/** Functions are the same by their name, other tools by their type. */
function identityOf(tool: Json): string | Json {
  if (!isJsonObject(tool)) return tool;
  const { type, name, function: own, parameters } = tool;
  if (NAMED_SERVICE_TOOLS.has(type))
    return JSON.stringify([type, isJsonObject(parameters) ? parameters['name'] : null]);
  if (isJsonObject(own)) return JSON.stringify(['function', own['name']]);
  const isFunction = type === undefined || type === 'function' || type === 'custom';
  return JSON.stringify(isFunction ? ['function', name] : [type]);
}
