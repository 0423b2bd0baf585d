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
/** Names that stand for the plugin. */
export const FUSION_MODELS: readonly string[] = ['openrouter/fusion', 'fairlead/fusion'];

const PRESET_DEFAULT: FusionPresetName = 'general-high';
/** Of whoever asks the sandbox alone, and needs no account for it. */
const SANDBOX_PRESET: FusionPreset = { analysisModels: ['sandbox/echo', 'sandbox/thinking'], model: 'sandbox/json' };

/** Uses of tools of one model of the panel, and of the judge, where nothing is said (SCOPE of the contract). */
const TOOL_CALLS_DEFAULT = 8;
const TOOLS_DEFAULT = ['openrouter:web_search', 'openrouter:web_fetch'] as const;
/** Vendors that run these by themselves are told the limit as well. */
const LIMITED_TOOLS: ReadonlySet<string> = new Set(TOOLS_DEFAULT);

/** A model that is asked, by the name that it is asked by, routing suffixes among it. */
export interface PanelModel {
  readonly name: string;
  /** Absent: its name is a router's, which chooses. */
  readonly model?: Model;
  /** Ids of those that stand in for it where it may not be asked, or fails. */
  readonly fallbacks: readonly string[];
}

/** Who is asked, who judges, and what they work with. */
export interface Panel {
  readonly models: readonly PanelModel[];
  readonly judge: PanelModel;
  readonly tools: readonly RequestedServiceTool[];
  /** Nobody asked for these tools: who cannot have them does without. */
  readonly isToolsDefault: boolean;
  readonly toolUsesMax: number;
  /** Absent where every model was named. */
  readonly preset?: FusionPresetName | 'sandbox';
}

/** What a panel is made from. */
export interface PanelInputs {
  readonly request: ModelRequest;
  readonly options: JsonObject;
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers. */
  readonly isSandbox: boolean;
}

/**
 * Explicit models go before those of the preset. Who judges where nobody says so: the preset's model where the request
 * asks for the fusion by name or by preset, else the model that was asked for, which answers.
 * @throws GatewayError `invalid-request` naming the option that names no model or no preset of the catalog
 */
export function readPanel({ request, options, catalog, isSandbox }: PanelInputs): Panel {
  const { analysis_models: named, model, preset: presetNamed, max_tool_calls: calls } = options;
  const path = pluginPath(request, FUSION_ID);
  const preset = FUSION_PRESETS.find((one) => one === presetNamed) ?? PRESET_DEFAULT;
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
    return { ...find(id, `${path}.preset`), fallbacks: analysisModels.filter((other) => other !== id) };
  };
  const toolUsesMax = typeof calls === 'number' ? calls : TOOL_CALLS_DEFAULT;
  const asked = options['tools'];
  return {
    models,
    judge: judgeOf(),
    tools: readTools(asked ?? TOOLS_DEFAULT.map((type) => ({ type })), `${path}.tools`, toolUsesMax),
    isToolsDefault: asked === undefined,
    toolUsesMax,
    ...(isExpanded && { preset: isTrial ? 'sandbox' : preset }),
  };
}

export const standsForFusion = (name: string): boolean => FUSION_MODELS.includes(readModelName(name).id);

function findModel(name: Json, field: string, catalog: CatalogSnapshot): PanelModel {
  const said = typeof name === 'string' ? name : '';
  if (standsForFusion(said)) {
    throw new GatewayError('invalid-request', `${field}: a fusion is not part of another; name a model of /models`);
  }
  if (readModelName(said).online) {
    throw new GatewayError(
      'invalid-request',
      `${field}: :online searches before a model is asked, and models of a fusion search by their tools; ` +
        `name ${TOOLS_DEFAULT[0]} in tools, and leave the suffix out`,
    );
  }
  const found = modelCalled(said, catalog);
  if (found.model) return found;
  const shown = JSON.stringify(said.slice(0, MODEL_SHOWN_CHARACTERS_MAX));
  throw new GatewayError('invalid-request', `${field}: ${shown} is not in the catalog; name a model of /models`);
}

/** By any of its names. */
function modelCalled(name: string, catalog: CatalogSnapshot): PanelModel {
  const id = modelId(catalog, readModelName(name).id);
  const model = id === undefined ? undefined : catalog.models.get(id);
  return model ? { name, model, fallbacks: [] } : { name, fallbacks: [] };
}

/** As their schema has judged them; both names of a tool are one. */
function readTools(asked: Json, path: string, usesMax: number): readonly RequestedServiceTool[] {
  if (!Array.isArray(asked)) return [];
  return asked.filter(isJsonObject).map(({ type, parameters }, index) => {
    const said = typeof type === 'string' ? type : '';
    const id = said.startsWith(SERVICE_TOOL_PREFIX) ? said : `${SERVICE_TOOL_PREFIX}${said}`;
    const given = isJsonObject(parameters) ? parameters : {};
    const { max_uses: own } = given;
    const limit = LIMITED_TOOLS.has(id)
      ? { max_uses: Math.min(usesMax, typeof own === 'number' ? own : Infinity) }
      : {};
    return { type: 'service', id, parameters: { ...given, ...limit }, path: `${path}.${index}` };
  });
}
