import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import type { Plugin, StageNote } from '../../core/plugin.js';
import { ended } from '../../core/text/ended.js';
import type { NamedChoice } from '../../core/routing/route-inputs.js';

/** What a stage took. */
export interface StageFigures {
  readonly milliseconds: number;
  /** Absent: nobody was asked for it. */
  readonly cost?: PicoUsd;
}

/** Of what began then, by `performance.now()`, and has ended by now. */
export const tookSince = (beganAt: number): StageFigures => ({ milliseconds: performance.now() - beganAt });

/** As the routing metadata's pipeline tells it (docs/wire/routing-metadata.md#stages): each with its time and cost. */
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

/** The same of a router: which model it chose, among how many, and why the others were none. */
export const choiceStage = ({ by, summary, told = {}, milliseconds }: NamedChoice): JsonObject =>
  stageOf({ id: by }, { summary, data: told }, { milliseconds });

/**
 * What is told of a plugin that failed, where it may be left out.
 * @throws the failure, where it may not, as the caller is told it
 */
export function failedStage(plugin: Plugin, error: unknown, signal: CancelSignal, figures: StageFigures): JsonObject {
  signal.throwIfAborted();
  const isExpected = error instanceof GatewayError || error instanceof ExtensionFault;
  if (!isExpected || plugin.isSkippable !== true) throw failureOf(plugin, error);
  return stageOf(plugin, { summary: 'skipped', data: { reason: error.message } }, figures);
}

/** Why a plugin failed, as the caller is told it: an outsider that did not serve is named by the plugin that asked. */
export const failureOf = ({ id }: Plugin, error: unknown): unknown =>
  error instanceof ExtensionFault
    ? new GatewayError('unavailable', ended(`The plugin ${id} failed: ${error.message}`), {}, { cause: error })
    : error;
