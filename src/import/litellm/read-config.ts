import { parseDocument } from 'yaml';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { ImportRefused } from '../import-refused.js';
import type { Note } from '../remark.js';

/** The catalog's limit of uses of anchors. */
const ALIASES_MAX = 1000;

/** One entry of `model_list`: LiteLLM balances over those of one name. */
export interface Deployment {
  /** `model_list.3` */
  readonly location: string;
  /** `model_name`: the name that clients request. */
  readonly name: string;
  readonly params: JsonObject;
  readonly info: JsonObject;
  /** Further keys of the entry. */
  readonly rest: JsonObject;
}

/** Path and name of a deployment. */
export const titleOf = ({ location, name }: Pick<Deployment, 'location' | 'name'>): string => `${location} (${name})`;

/** A configuration of LiteLLM's proxy, of which only the form is checked. */
export interface LitellmConfig {
  readonly deployments: readonly Deployment[];
  /** Everything beside `model_list`. */
  readonly settings: JsonObject;
}

/**
 * Reads the file of `litellm --config` (docs.litellm.ai/docs/proxy/configs, of 2026-10-13).
 * @throws ImportRefused for what is not YAML, or has no `model_list`
 */
export function readConfig(text: string, note: Note): LitellmConfig {
  const value = parseYaml(text);
  if (!isJsonObject(value)) throw new ImportRefused('is no configuration of LiteLLM: it is not an object');
  const { model_list: list, ...settings } = value;
  if (!Array.isArray(list)) throw new ImportRefused('is no configuration of LiteLLM: it has no model_list');
  const entries: readonly unknown[] = list;
  return { deployments: entries.flatMap((entry, index) => readEntry(entry, `model_list.${index}`, note)), settings };
}

function parseYaml(text: string): unknown {
  const document = parseDocument(text, { merge: true, prettyErrors: false });
  const [fault] = document.errors;
  // The parser's message may quote the text.
  if (fault) throw new ImportRefused(`is not valid YAML (${fault.code})`);
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    throw new ImportRefused('is not valid YAML: its anchors cannot be followed', { cause: error });
  }
}

function readEntry(entry: unknown, location: string, note: Note): readonly Deployment[] {
  const { model_name: name, litellm_params: params, model_info: info, ...rest } = isJsonObject(entry) ? entry : {};
  if (typeof name !== 'string' || name === '' || !isJsonObject(params)) {
    note('left-out', location, 'has no model_name or no litellm_params');
    return [];
  }
  return [{ location, name, params, info: isJsonObject(info) ? info : {}, rest }];
}
