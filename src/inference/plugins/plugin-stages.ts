import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import type { Plugin, StageNote } from '../../core/plugin.js';
import type { NamedChoice } from '../../core/routing/route-inputs.js';

/** What a stage took. */
interface StageFigures {
  /** By `performance.now()`. Absent: `milliseconds` says what it took, or it took no time of its own. */
  readonly beganAt?: number;
  readonly milliseconds?: number;
  /** Absent: it costs nothing by itself. */
  readonly cost?: PicoUsd | undefined;
}

/** As the routing metadata's pipeline tells it (docs/wire/routing-metadata.md#stages). */
export const stageOf = (
  { id, stageType = 'plugin' }: Plugin,
  { summary, data }: StageNote,
  { beganAt, milliseconds, cost }: StageFigures,
): JsonObject => {
  const took = beganAt === undefined ? milliseconds : performance.now() - beganAt;
  return {
    type: stageType,
    name: id,
    summary,
    data: { ...data, ...(took !== undefined && { milliseconds: Math.round(took) }) },
    ...(cost !== undefined && { cost_usd: usdNumber(cost) }),
  };
};

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
  if (!isExpected || plugin.isSkippable !== true) throw failureOf(plugin, error);
  return stageOf(plugin, { summary: 'skipped', data: { reason: error.message } }, {});
}

/** Why a plugin failed, as the caller is told it: an outsider that did not serve is named by the plugin that asked. */
export const failureOf = ({ id }: Plugin, error: unknown): unknown =>
  error instanceof ExtensionFault
    ? new GatewayError('unavailable', `The plugin ${id} failed: ${error.message}.`, {}, { cause: error })
    : error;
