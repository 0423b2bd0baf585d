import type { PluginEntry, StopCondition } from '../core/conversation/request.js';
import { readModelName } from '../core/routing/model-name.js';
import type { WireStopCondition } from './schemas/options.js';

/**
 * The suffix `:online` on any of the models stands for the `web` plugin, unless the body says how it wants that (WIRE 3.3).
 * @param models all that may answer, as the caller named them
 */
export function withOnline(plugins: readonly PluginEntry[], models: readonly string[]): readonly PluginEntry[] {
  const isOnline = models.some((name) => readModelName(name).online);
  return isOnline && !plugins.some(({ id }) => id === 'web') ? [...plugins, { id: 'web' }] : plugins;
}

/** When the loop of tools that the gateway runs is to end (WIRE 1.3). */
export const readStopConditions = (wire: WireStopCondition | readonly WireStopCondition[]): StopCondition[] =>
  [wire].flat().map(readCondition);

function readCondition(condition: WireStopCondition): StopCondition {
  switch (condition.type) {
    case 'step_count_is':
      return { type: 'step-count', stepCount: condition.step_count };
    case 'has_tool_call':
      return { type: 'tool-call', toolName: condition.tool_name };
    case 'max_tokens_used':
      return { type: 'tokens-used', maxTokens: condition.max_tokens };
    case 'max_cost':
      return { type: 'cost', maxUsd: condition.max_cost_in_dollars };
    case 'finish_reason_is':
      return { type: 'finish-reason', reason: condition.reason };
  }
}
