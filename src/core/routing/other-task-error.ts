import type { TaskKind } from '../conversation/task.js';
import { GatewayError } from '../errors.js';
import type { CatalogSnapshot } from './catalog.js';
import type { Plan } from './plan.js';

/** The purpose of the models of each task, the route of its requests, and the list of its models. */
const TASKS: Readonly<Record<TaskKind, { readonly does: string; readonly route: string; readonly list: string }>> = {
  embeddings: { does: 'computes embeddings', route: 'POST /embeddings', list: 'GET /embeddings/models' },
  rerank: { does: 'ranks documents', route: 'POST /rerank', list: 'GET /models?output_modalities=rerank' },
};

/**
 * The error for a request whose models all serve another route than the one that was called
 * (docs/use/embeddings.md#errors).
 * @param requested the task of the request; undefined: an answer
 * @returns undefined where that is not the reason for a plan without legs
 */
export function otherTaskError(
  { excluded }: Plan,
  requested: TaskKind | undefined,
  { models }: Pick<CatalogSnapshot, 'models'>,
): GatewayError | undefined {
  const reasons = excluded.filter(({ reason }) => reason !== 'service-tier');
  const [first] = reasons;
  if (!first || !reasons.every(({ reason }) => reason === 'other-task')) return undefined;
  const task = models.get(first.model)?.task;
  const does = task ? `${TASKS[task].does}; send it to ${TASKS[task].route}` : 'answers conversations';
  const help = requested ? `, and ${TASKS[requested].route} takes the models of ${TASKS[requested].list}` : '';
  return new GatewayError('invalid-request', `model: ${first.model} ${does}${help}`);
}
