import { isPoint } from './encode-turns.js';
import type { CachePoint, Part, SystemPart, ToolPart, Turn } from './wire.js';

/** Maximum number of points in one request (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html). */
const POINTS_MAX = 4;

/** The parts of a body that may contain points. */
export interface Prompt {
  readonly tools: ToolPart[];
  readonly system: SystemPart[];
  readonly turns: readonly Turn[];
}

/**
 * Puts the request's own point behind its last part that may have one. The caller's points have priority: with four of
 * them, or one already there, nothing is added (docs/contribute/reasons/translation.md#number-of-markers).
 * @param marksTools whether tools may have one
 * @param canPrecedeCachePoint whether one may follow directly on a part of a turn
 */
export function markLastPart(
  { tools, system, turns }: Prompt,
  point: CachePoint,
  marksTools: boolean,
  canPrecedeCachePoint: (part: Part) => boolean,
): void {
  let count = countPoints(tools) + countPoints(system);
  for (const { content } of turns) count += countPoints(content);
  if (count >= POINTS_MAX) return;
  for (const { content } of turns.toReversed()) {
    const index = content.findLastIndex(canPrecedeCachePoint);
    const part = content[index];
    if (part === undefined) continue;
    if (!isPoint(part)) content.splice(index + 1, 0, point);
    return;
  }
  if (system.length > 0) addPoint(system, point);
  else if (marksTools) addPoint(tools, point);
}

function addPoint(parts: object[], point: CachePoint): void {
  const last = parts.at(-1);
  if (last !== undefined && !isPoint(last)) parts.push(point);
}

const countPoints = (parts: readonly object[]): number => parts.filter(isPoint).length;
