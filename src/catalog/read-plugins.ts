import {
  FUSION_PRESETS,
  type FusionPreset,
  type FusionPresetName,
  type ModerationConfiguration,
  type PluginsConfiguration,
} from '../core/routing/catalog.js';
import type { Field } from './field.js';
import type { CredentialSources } from './read-credential.js';
import { readEngine } from './read-engines.js';
import { MODEL_ID } from './read-model.js';

const MODEL_NAME = 'author/slug or author/slug:variant';
/** The maximum is the same in requests. */
const PANEL_MAX = 8;

/** A model named in the catalog outside of `models`, and where, for the fault when there is no such model. */
export interface NamedModelField {
  readonly id: string;
  readonly field: Field;
  /** Whether the model must be able to generate images. */
  readonly draws?: true;
}

/** The `plugins` of one file. */
export interface PluginsDraft {
  readonly plugins: PluginsConfiguration;
  readonly named: readonly NamedModelField[];
}

/** Reads `plugins`. Faulty entries are recorded as faults and left out. */
export function readPlugins(field: Field | undefined, sources: CredentialSources): PluginsDraft {
  const members = field?.members([], ['file-parser', 'moderation', 'auto-router', 'fusion']);
  const named: NamedModelField[] = [];
  const ocrField = members?.get('file-parser')?.members(['mistral-ocr'])?.get('mistral-ocr');
  const ocr = ocrField && readEngine(ocrField, sources, 'price_per_page');
  const moderation = readModeration(members?.get('moderation'), sources, named);
  const models = readPatterns(members?.get('auto-router')?.members(['models'])?.get('models'));
  const presets = readPresets(members?.get('fusion')?.members(['presets'])?.get('presets'), named);
  return {
    plugins: {
      ...(ocr && { ocr }),
      ...(moderation && { moderation }),
      ...(models && { autoRouter: { models } }),
      ...(presets && { fusion: { presets } }),
    },
    named,
  };
}

function readModeration(
  field: Field | undefined,
  sources: CredentialSources,
  named: NamedModelField[],
): ModerationConfiguration | undefined {
  const members = field?.members(['engine'], ['openai', 'model']);
  const engineField = members?.get('engine');
  const engine = engineField?.oneOf(['local', 'openai', 'model']);
  if (engine === 'openai') return readModerationService(members?.get('openai'), engineField!, sources);
  if (engine !== 'model') return engine && { engine };
  const modelField = members?.get('model');
  if (!modelField) return engineField!.refuse('needs a "model" beside it');
  const model = readNamed(modelField, named);
  return model === undefined ? undefined : { engine, model };
}

function readModerationService(
  field: Field | undefined,
  engineField: Field,
  sources: CredentialSources,
): ModerationConfiguration | undefined {
  if (!field) return engineField.refuse('needs an "openai" beside it');
  const members = field.members(['base_url', 'model'], ['credential', 'price']);
  const model = members?.get('model')?.text();
  const service = readEngine(field, sources, 'price', members);
  return model === undefined ? undefined : { engine: 'openai', model, ...(service && { service }) };
}

function readPatterns(field: Field | undefined): readonly string[] | undefined {
  const items = field?.items();
  if (items?.length === 0) return field?.refuse('must name at least one model or pattern');
  return items?.flatMap((item) => item.text() ?? []);
}

function readPresets(
  field: Field | undefined,
  named: NamedModelField[],
): ReadonlyMap<FusionPresetName, FusionPreset> | undefined {
  const members = field?.members([], FUSION_PRESETS);
  if (!members) return undefined;
  const presets = new Map<FusionPresetName, FusionPreset>();
  for (const [name, entry] of members) {
    const parts = entry.members(['analysis_models', 'model']);
    const panelField = parts?.get('analysis_models');
    const panel = panelField?.items() ?? [];
    if (panelField && (panel.length === 0 || panel.length > PANEL_MAX))
      panelField.refuse(`must name 1 to ${PANEL_MAX} models`);
    const modelField = parts?.get('model');
    const model = modelField && readNamed(modelField, named);
    const analysisModels = panel.flatMap((item) => readNamed(item, named) ?? []);
    if (model !== undefined) presets.set(name, { analysisModels, model });
  }
  return presets;
}

function readNamed(field: Field, named: NamedModelField[]): string | undefined {
  const id = field.matching(MODEL_ID, MODEL_NAME);
  if (id !== undefined) named.push({ id, field });
  return id;
}
