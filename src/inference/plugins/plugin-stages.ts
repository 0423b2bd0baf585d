import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import type { Plugin, StageNote } from '../../core/plugin.js';
import { ensureFullStop } from '../../core/text/ensure-full-stop.js';
import type { NamedChoice } from '../../core/routing/route-inputs.js';

/** The time and cost of a stage. */
export interface StageFigures {
  readonly milliseconds: number;
  /** Absent: it called no paid service. */
  readonly cost?: PicoUsd;
}

/** The time of a stage that began at `beganAt` (`performance.now()`) and ends now. */
export const tookSince = (beganAt: number): StageFigures => ({ milliseconds: performance.now() - beganAt });

/** An entry of the routing metadata's pipeline (docs/use/routing-metadata.md#stages), with its time and cost. */
export const stageOf = (
  { id, stageType = 'plugin' }: Pick<Plugin, 'id' | 'stageType'>,
  { summary, data }: StageNote,
  { milliseconds, cost = 0n }: StageFigures,
): JsonObject => ({
  type: stageType,
  name: id,
  summary,
  data: { ...data, milliseconds: Math.round(milliseconds) },
  cost_usd: usdNumber(cost),
});

/** The stage of a router: the model it chose, the number of candidates, and why the others were left out. */
export const choiceStage = ({ by, summary, details = {}, milliseconds }: NamedChoice): JsonObject =>
  stageOf({ id: by }, { summary, data: details }, { milliseconds });

/**
 * The stage of a failed plugin that may be skipped.
 * @throws the failure where it may not, as the caller receives it
 */
export function failedStage(plugin: Plugin, error: unknown, signal: CancelSignal, figures: StageFigures): JsonObject {
  signal.throwIfAborted();
  const isExpected = error instanceof GatewayError || error instanceof ExtensionFault;
  if (!isExpected || plugin.isSkippable !== true) throw errorOfPlugin(plugin, error);
  return stageOf(plugin, { summary: 'skipped', data: { reason: error.message } }, figures);
}

/**
 * The failure of a plugin as the caller receives it: one of an external service names the plugin that called it, one of
 * a full gateway states when to try again.
 */
export function errorOfPlugin({ id }: Plugin, error: unknown): unknown {
  if (!(error instanceof ExtensionFault)) return error;
  const { retryAfterMs } = error;
  const kind = retryAfterMs === undefined ? 'unavailable' : 'service-unavailable';
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new GatewayError(kind, ensureFullStop(`The plugin ${id} failed: ${error.message}`), details, { cause: error });
}
