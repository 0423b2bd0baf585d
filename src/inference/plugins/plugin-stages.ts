import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import type { Plugin, StageNote } from '../../core/plugin.js';
import type { NamedChoice } from '../../core/routing/route-inputs.js';

/** What a stage took. */
interface StageFigures {
  /** By `performance.now()`; absent: it took no time of its own. */
  readonly beganAt?: number;
  /** Absent: it costs nothing by itself. */
  readonly cost?: PicoUsd | undefined;
}

/** As the routing metadata's pipeline tells it (docs/wire/routing-metadata.md#stages). */
export const stageOf = (
  { id, stageType = 'plugin' }: Plugin,
  { summary, data }: StageNote,
  { beganAt, cost }: StageFigures,
): JsonObject => ({
  type: stageType,
  name: id,
  summary,
  data: { ...data, ...(beganAt !== undefined && { milliseconds: Math.round(performance.now() - beganAt) }) },
  ...(cost !== undefined && { cost_usd: usdNumber(cost) }),
});

/** The same of a router: which model it chose, among how many, and why the others were none. */
export const choiceStage = ({ by, summary, told = {} }: NamedChoice): JsonObject => ({
  type: 'plugin',
  name: by,
  summary,
  data: told,
});

/**
 * What is told of a plugin that failed, where it may be left out.
 * @throws the failure, where it may not, as the caller is told it
 */
export function failedStage(plugin: Plugin, error: unknown, signal: CancelSignal): JsonObject {
  signal.throwIfAborted();
  const isExpected = error instanceof GatewayError || error instanceof ExtensionFault;
  if (!isExpected) throw error;
  if (plugin.isSkippable === true) return stageOf(plugin, { summary: 'skipped', data: { reason: error.message } }, {});
  if (error instanceof GatewayError) throw error;
  throw new GatewayError('unavailable', `The plugin ${plugin.id} failed: ${error.message}.`, {}, { cause: error });
}
