import type { ModelRequest } from '../../core/conversation/request.js';
import type { Target } from '../../core/provider.js';
import { modelFamilyOf } from '../model-rules/model-family.js';

const WORDS = /\S/;

/**
 * Whether a target takes a stop sequence. Claude refuses blank ones on any platform and in any format ("each stop
 * sequence must contain non-whitespace", quoted in run_expander.py of github.com/stanford-crfm/helm, read 2026-11-29).
 * An empty one stops nothing; Converse refuses it for any model (InferenceConfiguration of its API reference).
 */
const isTaken = (sequence: string, target: Target): boolean =>
  modelFamilyOf(target) === 'claude' ? WORDS.test(sequence) : sequence !== '';

/** A request without stop sequences that the target does not take. Returns the same object where it takes all. */
export function withTakenStops(request: ModelRequest, target: Target): ModelRequest {
  if (!dropsStops(request, target)) return request;
  const { stopSequences = [], ...rest } = request;
  const kept = stopSequences.filter((sequence) => isTaken(sequence, target));
  return kept.length > 0 ? { ...rest, stopSequences: kept } : rest;
}

/** Whether one of the stop sequences is not sent to the target. */
export const dropsStops = ({ stopSequences }: ModelRequest, target: Target): boolean =>
  stopSequences !== undefined && !stopSequences.every((sequence) => isTaken(sequence, target));
