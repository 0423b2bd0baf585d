import { parseJson } from '../exact-json.js';
import { ProviderFault } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';
import type { ModelEvent, StopReason } from './event.js';
import { ReplyFold } from './reply.js';

/**
 * The arguments of a finished tool call. Those that the output limit cut off are `{}`: an object is owed, and half of one must not
 * look whole.
 * @throws ProviderFault `malformed-reply` where they are no JSON object
 */
export function readToolInput(json: string, tool: string, stop: StopReason): JsonObject {
  if (json === '') return {};
  try {
    const input: unknown = parseJson(json);
    if (isJsonObject(input)) return input;
  } catch {
    if (stop.unified === 'output-limit' || stop.unified === 'context-limit') return {};
  }
  throw new ProviderFault(
    'malformed-reply',
    `The provider sent arguments for the tool ${tool} that are no JSON object.`,
  );
}

/**
 * Judges the tool calls of a whole reply while another endpoint can still answer instead.
 * @throws ProviderFault `malformed-reply`
 */
export function assertToolInputs(events: readonly ModelEvent[]): void {
  if (!events.some((event) => event.type === 'block-start' && event.block.type === 'tool-use')) return;
  const fold = new ReplyFold();
  for (const event of events) fold.push(event);
  const { blocks, stop } = fold.finish();
  for (const { start, text } of blocks) if (start.type === 'tool-use') readToolInput(text, start.name, stop);
}
