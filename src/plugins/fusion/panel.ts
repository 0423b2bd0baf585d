import { pluginPath } from '../../core/plugin.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { RequestedServiceTool } from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import {
  FUSION_PRESETS,
  type CatalogSnapshot,
  type FusionPreset,
  type FusionPresetName,
  type Model,
} from '../../core/routing/catalog.js';
import { readModelName } from '../../core/routing/model-name.js';
import { MODEL_SHOWN_CHARACTERS_MAX } from '../../core/routing/no-route-error.js';
import { modelId } from '../../core/routing/resolve-model.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';

export const FUSION_ID = 'fusion';
/** Model names that stand for the plugin. */
export const FUSION_MODELS: readonly string[] = ['openrouter/fusion', 'fairlead/fusion'];

const PRESET_DEFAULT: FusionPresetName = 'general-high';
/** For requests to the sandbox alone, which need no account. */
const SANDBOX_PRESET: FusionPreset = { analysisModels: ['sandbox/echo', 'sandbox/thinking'], model: 'sandbox/json' };

/** Default limit of tool uses of one model of the panel, and of the judge (SCOPE of the contract). */
const TOOL_CALLS_DEFAULT = 8;
const TOOLS_DEFAULT = ['openrouter:web_search', 'openrouter:web_fetch'] as const;
/** Vendors that run these tools themselves are sent the limit too. */
const LIMITED_TOOLS: ReadonlySet<string> = new Set(TOOLS_DEFAULT);

/** A model to be consulted, with the name it was requested by, routing suffixes included. */
export interface PanelModel {
  readonly name: string;
  /** Absent: the name is a router's, which chooses the model. */
  readonly model?: Model;
  /** Ids of models that replace it where it may not be called, or fails. */
  readonly fallbacks: readonly string[];
}

/** The consulted models, the judge and their tools. */
export interface Panel {
  readonly models: readonly PanelModel[];
  readonly judge: PanelModel;
  readonly tools: readonly RequestedServiceTool[];
  /** The tools are the default: a model that cannot have them answers without. */
  readonly isToolsDefault: boolean;
  readonly toolUsesMax: number;
  /** Absent where every model was named. */
  readonly preset?: FusionPresetName | 'sandbox';
}

/** Inputs of a panel. */
export interface PanelInputs {
  readonly request: ModelRequest;
  readonly options: JsonObject;
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers. */
  readonly isSandbox: boolean;
}

/**
 * Named models take precedence over those of the preset. The judge, where it is not named, is the preset's model if the
 * request names the fusion as its model or names a preset; else the requested model, which also answers.
 * @throws GatewayError `invalid-request` naming the option that names no model or no preset of the catalog
 */
export function readPanel({ request, options, catalog, isSandbox }: PanelInputs): Panel {
  const { analysis_models: named, model, preset: presetNamed, max_tool_calls: calls } = options;
  const path = pluginPath(request, FUSION_ID);
  const preset = FUSION_PRESETS.find((known) => known === presetNamed) ?? PRESET_DEFAULT;
  const isTrial = isSandbox && presetNamed === undefined;
  let isExpanded = false as boolean;
  const expanded = (): FusionPreset => {
    isExpanded = true;
    const found = isTrial ? SANDBOX_PRESET : catalog.plugins.fusion?.presets.get(preset);
    if (found) return found;
    const field = presetNamed === undefined ? `${path}.analysis_models` : `${path}.preset`;
    const setting = `plugins.fusion.presets.${preset}`;
    throw new GatewayError(
      'invalid-request',
      `${field}: ${setting} is not set in the catalog; name analysis_models and model, or set it`,
    );
  };
  const find = (name: Json, field: string): PanelModel => findModel(name, field, catalog);
  const models = Array.isArray(named)
    ? named.map((name: Json, index) => find(name, `${path}.analysis_models.${index}`))
    : expanded().analysisModels.map((name) => find(name, `${path}.preset`));
  const judgeOf = (): PanelModel => {
    if (model !== undefined) return find(model, `${path}.model`);
    if (presetNamed === undefined && !standsForFusion(request.model)) return modelCalled(request.model, catalog);
    const { model: id, analysisModels } = expanded();
    return { ...find(id, `${path}.preset`), fallbacks: analysisModels.filter((fallback) => fallback !== id) };
  };
  const toolUsesMax = typeof calls === 'number' ? calls : TOOL_CALLS_DEFAULT;
  const requested = options['tools'];
  return {
    models,
    judge: judgeOf(),
    tools: readTools(requested ?? TOOLS_DEFAULT.map((type) => ({ type })), `${path}.tools`, toolUsesMax),
    isToolsDefault: requested === undefined,
    toolUsesMax,
    ...(isExpanded && { preset: isTrial ? 'sandbox' : preset }),
  };
}

export const standsForFusion = (name: string): boolean => FUSION_MODELS.includes(readModelName(name).id);

function findModel(name: Json, field: string, catalog: CatalogSnapshot): PanelModel {
  const modelName = typeof name === 'string' ? name : '';
  if (standsForFusion(modelName)) {
    throw new GatewayError(
      'invalid-request',
      `${field}: a fusion cannot contain another fusion; name a model of /models`,
    );
  }
  if (readModelName(modelName).online) {
    throw new GatewayError(
      'invalid-request',
      `${field}: :online searches before a model is called, and models of a fusion search by their tools; ` +
        `name ${TOOLS_DEFAULT[0]} in tools, and leave the suffix out`,
    );
  }
  const found = modelCalled(modelName, catalog);
  if (found.model) return found;
  const shown = JSON.stringify(modelName.slice(0, MODEL_SHOWN_CHARACTERS_MAX));
  throw new GatewayError('invalid-request', `${field}: ${shown} is not in the catalog; name a model of /models`);
}

/** Finds a model by any of its names. */
function modelCalled(name: string, catalog: CatalogSnapshot): PanelModel {
  const id = modelId(catalog, readModelName(name).id);
  const model = id === undefined ? undefined : catalog.models.get(id);
  return model ? { name, model, fallbacks: [] } : { name, fallbacks: [] };
}

/** The schema has checked them. Both names of a tool mean the same tool. */
function readTools(requested: Json, path: string, usesMax: number): readonly RequestedServiceTool[] {
  if (!Array.isArray(requested)) return [];
  return requested.filter(isJsonObject).map(({ type, parameters }, index) => {
    const toolName = typeof type === 'string' ? type : '';
    const id = toolName.startsWith(SERVICE_TOOL_PREFIX) ? toolName : `${SERVICE_TOOL_PREFIX}${toolName}`;
    const ofTool = isJsonObject(parameters) ? parameters : {};
    const { max_uses: own } = ofTool;
    const limit = LIMITED_TOOLS.has(id)
      ? { max_uses: Math.min(usesMax, typeof own === 'number' ? own : Infinity) }
      : {};
    return { type: 'service', id, parameters: { ...ofTool, ...limit }, path: `${path}.${index}` };
  });
}
