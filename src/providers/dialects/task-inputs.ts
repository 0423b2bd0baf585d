import type { Message } from '../../core/conversation/content.js';
import { textOf, type TaskRequest } from '../../core/conversation/task-request.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';
import { StepCounter, type Steps } from '../../core/steps.js';

/** The path of an input in the caller's request. */
export function inputPath({ task }: TaskRequest, index: number): string {
  if (task.kind === 'embeddings') return `input.${(task.before ?? 0) + index}`;
  return index === 0 ? 'query' : `documents.${index - 1}`;
}

/**
 * The inputs as texts.
 * @throws Untranslatable where one has other content, or they are token ids
 */
export function* textsOf(request: TaskRequest, target: Target): Steps<string[]> {
  const { task, messages } = request;
  if (task.kind === 'embeddings' && task.tokens) throw refused('input', 'token ids', target);
  const steps = new StepCounter();
  const texts: string[] = [];
  for (const [index, message] of messages.entries()) {
    texts.push(plainText(message, inputPath(request, index), target));
    if (steps.isOver()) yield;
  }
  return texts;
}

function plainText(message: Message, path: string, target: Target): string {
  const text = textOf(message);
  if (text === undefined) throw refused(path, 'content other than text', target);
  return text;
}

export const refused = (path: string, what: string, { model, endpoint }: Target): Untranslatable =>
  new Untranslatable(path, `${what} cannot be sent to ${model.id} at ${endpoint.provider.name}`);

/**
 * The length of vectors to request; undefined: the model's own, which is not requested. An endpoint states that it can
 * be chosen by listing the parameter, or its model by listing several lengths.
 * @throws Untranslatable for a length that the model does not have
 */
export function chosenDimensions({ task }: TaskRequest<'embeddings'>, { model, endpoint }: Target): number | undefined {
  const { dimensions: requested } = task;
  const { dimensions: known = NONE, id } = model;
  if (requested === undefined) return undefined;
  const isChoosable = known.length > 1 || endpoint.supportedParameters.includes('dimensions');
  const most = Math.max(...known);
  if (known.length > 0 && requested > most)
    throw new Untranslatable('dimensions', `${requested} is above ${most}, the longest vectors of ${id}`);
  if (isChoosable || (known.length === 0 && endpoint.supportedParameters.length === 0)) return requested;
  if (requested === known[0]) return undefined;
  throw new Untranslatable('dimensions', `cannot be chosen for ${id} at ${endpoint.provider.name}`);
}

const NONE: readonly number[] = [];

/** The use of vectors, where a request states one. */
export const statedUse = ({ task }: ModelRequest): readonly string[] =>
  task?.kind === 'embeddings' && task.inputType !== undefined ? ['input_type'] : [];
