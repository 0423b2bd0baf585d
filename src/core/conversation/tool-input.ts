import { isJsonObject, parseJson, type JsonObject } from '../json/json.js';
import { parseInSteps } from '../json/parse-in-steps.js';
import { StepCounter, type Steps } from '../steps.js';
import { LARGE } from '../yield-to-event-loop.js';
import { ProviderFault } from '../errors.js';
import type { ModelEvent, StopReason } from './event.js';
import { ReplyBuilder } from './reply.js';
import type { Tool } from './tools.js';

/**
 * The arguments of a finished tool call. Those that the output limit cut off become `{}`: an object is required, and a
 * partial one must not look complete.
 * @throws ProviderFault `malformed-reply` where they are not a JSON object
 */
export function* readToolInput(json: string, tool: string, stop: StopReason): Steps<JsonObject> {
  if (json.trim() === '') return {};
  try {
    const input: unknown = json.length < LARGE ? parseJson(json) : yield* parseInSteps(Buffer.from(json));
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
 * Checks the calls of the caller's tools in a whole reply while another endpoint can still answer instead. Those of the
 * gateway's tools are checked where they are run: the model receives the error, and continues. Those of tools that take
 * a text are any text.
 * @throws ProviderFault `malformed-reply`
 */
export function* assertToolInputs(events: readonly ModelEvent[], tools: readonly Tool[]): Steps<void> {
  for (const event of events) {
    if (event.type === 'block-start' && event.block.type === 'tool-use') {
      yield* assertInputsOf(events, new Set(tools.flatMap(uncheckedName)));
      return;
    }
  }
}

const uncheckedName = (tool: Tool): readonly string[] =>
  tool.type === 'function' && (tool.isServed ?? tool.takesText) === true ? [tool.name] : [];

function* assertInputsOf(events: readonly ModelEvent[], unchecked: ReadonlySet<string>): Steps<void> {
  const builder = new ReplyBuilder();
  const steps = new StepCounter();
  for (const event of events) {
    if (steps.isOver()) yield;
    builder.push(event);
  }
  const { blocks, stop } = builder.finish();
  for (const { start, text } of blocks) {
    if (steps.isOver()) yield;
    if (start.type === 'tool-use' && !unchecked.has(start.name)) yield* readToolInput(text, start.name, stop);
  }
}
