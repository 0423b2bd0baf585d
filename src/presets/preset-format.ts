import { isJsonObject, type Json, type JsonObject } from '../core/json/json.js';
import type { PresetApi } from './preset.entity.js';

/** The part of an API format that presets need. */
export interface PresetFormat {
  readonly api: PresetApi;
  /**
   * Judges a body to be saved, which may lack what is required of an inference.
   * @throws GatewayError `invalid-request`, naming the first fault
   */
  assertValid(body: JsonObject): void;
  /** The declared fields of its bodies. */
  readonly fields: ReadonlySet<string>;
  /** Groups of fields that mean the same: a request that has one of a group replaces all of them. */
  readonly alternatives: readonly (readonly string[])[];
  /** The texts of the system prompt of a body, and whether they have more than text, such as cache markers. */
  system(body: JsonObject): SystemPrompt | undefined;
  /** The body with this system prompt; it has none of its own. */
  withSystem(body: JsonObject, text: string): JsonObject;
}

export interface SystemPrompt {
  readonly text: string;
  readonly hasMore: boolean;
}

/** Fields of one call alone: no preset stores them. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'prompt',
  'system',
  'instructions',
  'stream',
  'stream_options',
  'preset',
  'preset_variables',
]);

/** The settings of a body that a preset stores. */
export const settingsOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !TRANSIENT.has(name) && value !== undefined));

/** The text of a content: a text, or blocks of which each has one. */
export function systemText(content: Json | undefined): SystemPrompt | undefined {
  if (typeof content === 'string') return { text: content, hasMore: false };
  if (!Array.isArray(content)) return undefined;
  const blocks = (content as readonly Json[]).filter(isJsonObject);
  return {
    text: blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n\n'),
    hasMore: blocks.some((block) => Object.keys(block).some((key) => key !== 'type' && key !== 'text')),
  };
}
