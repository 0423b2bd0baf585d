import { parseJson, isJsonObject, type JsonObject } from '../json/json.js';
import { ProviderFault } from '../errors.js';
import type { ModelEvent, StopReason } from './event.js';
import { ReplyBuilder } from './reply.js';

/**
 * The arguments of a finished tool call. Those that the output limit cut off are `{}`: an object is owed, and half of
 * one must not look whole.
 * @throws ProviderFault `malformed-reply` where they are no JSON object
 */
export function readToolInput(json: string, tool: string, stop: StopReason): JsonObject {
  if (json.trim() === '') return {};
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
  for (const event of events) {
    if (event.type === 'block-start' && event.block.type === 'tool-use') {
      assertInputsOf(events);
      return;
    }
  }
}

function assertInputsOf(events: readonly ModelEvent[]): void {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  const { blocks, stop } = builder.finish();
  for (const { start, text } of blocks) if (start.type === 'tool-use') readToolInput(text, start.name, stop);
}
