import type { Message } from './content.js';
import type { ModelRequest } from './request.js';
import type { Task, TaskKind } from './task.js';

/** A request with a task of this kind. */
export type TaskRequest<Kind extends TaskKind = TaskKind> = ModelRequest & {
  readonly task: Extract<Task, { kind: Kind }>;
};

/** @param kind absent: any */
export const isTask = <Kind extends TaskKind = TaskKind>(
  request: ModelRequest,
  kind?: Kind,
): request is TaskRequest<Kind> => request.task !== undefined && (kind === undefined || request.task.kind === kind);

/** Number of inputs that each count as a prompt: vectors, or documents. */
export function countInputs({ task, messages }: TaskRequest): number {
  if (task.kind === 'rerank') return messages.length - 1;
  return task.tokens?.length ?? messages.length;
}

/** The request for some of its inputs. */
export function withInputs(request: TaskRequest<'embeddings'>, from: number, to: number): TaskRequest<'embeddings'> {
  const { messages } = request;
  const task = { ...request.task, before: from };
  if (task.tokens) return { ...request, task: { ...task, tokens: task.tokens.slice(from, to) } };
  return { ...request, messages: messages.slice(from, to), task };
}

/** The text of an input; undefined where it has other content. */
export function textOf({ content }: Message): string | undefined {
  const [only] = content;
  if (content.length === 1 && only!.type === 'text') return only.text;
  let text = '';
  for (const block of content) {
    if (block.type !== 'text') return undefined;
    text += text === '' ? block.text : `\n${block.text}`;
  }
  return text;
}
