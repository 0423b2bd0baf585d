import type { Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { TaskRequest } from '../../core/conversation/task-request.js';
import type { Task, TaskKind } from '../../core/conversation/task.js';
import { shortEndUser } from '../../core/end-user.js';
import { NO_PREFERENCES } from '../../core/routing/preferences.js';
import type { RequestHeaders } from './read-headers.js';
import { readPreferences, readSessionId, readTrace } from './read-options.js';
import { addTags } from './read-tags.js';
import type { TaskDto } from './task.dto.js';

type Draft = { -readonly [Field in keyof ModelRequest]: ModelRequest[Field] };

const NONE: readonly never[] = [];

/**
 * The neutral request of a task. Sessions only group its records.
 * @param messages the inputs
 */
export function taskRequest<Kind extends TaskKind>(
  body: TaskDto,
  headers: RequestHeaders,
  messages: readonly Message[],
  task: Extract<Task, { kind: Kind }>,
): TaskRequest<Kind> {
  const request: Draft & { task: typeof task } = {
    model: body.model,
    system: NONE,
    messages,
    stream: false,
    task,
    sampling: {},
    tools: NONE,
    preferences: body.provider ? readPreferences(body.provider, undefined) : NO_PREFERENCES,
    plugins: NONE,
    betas: NONE,
  };
  if (body.models?.length) request.fallbackModels = { models: body.models, onRefusal: false };
  const sessionId = readSessionId(body, headers);
  if (sessionId !== undefined) request.sessionId = sessionId;
  if (body.user) request.user = shortEndUser(body.user);
  if (body.trace) request.trace = readTrace(body.trace);
  if (headers.tags || headers.requiredTags || body.trace?.tags) addTags(request, headers, body.trace?.tags);
  return request;
}
