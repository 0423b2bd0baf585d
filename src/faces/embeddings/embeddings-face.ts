import { encodedVector } from '../../core/conversation/vectors.js';
import type { VectorEncoding } from '../../core/conversation/task.js';
import { usdNumber } from '../../core/money/credits.js';
import type { Steps } from '../../core/steps.js';
import type { WholeFace } from '../common/face.js';
import { tokensOf, viewCostDetails } from '../common/view-cost.js';
import type { EmbeddingsBody } from './schemas/reply.js';

/** Numbers that are converted in one step. */
const STEP_NUMBERS = 50_000;

/** The view of one request's vectors. */
export const embeddingsFace = (encoding: VectorEncoding): WholeFace<EmbeddingsBody> => ({
  *view({ id, model, provider, isByok, bill, charged = {}, extras }, { computed }): Steps<EmbeddingsBody> {
    if (computed?.kind !== 'embeddings') throw new Error('A reply without vectors was to be shown as some.');
    const data: EmbeddingsBody['data'][number][] = [];
    let left = STEP_NUMBERS;
    for (const [index, vector] of computed.vectors.entries()) {
      const embedding = encodedVector(vector, encoding);
      data.push({ object: 'embedding', embedding: embedding as string, index });
      if (embedding === vector) continue;
      left -= vector.length;
      if (left > 0) continue;
      left = STEP_NUMBERS;
      yield;
    }
    const { input } = tokensOf(charged);
    return {
      object: 'list',
      data,
      model,
      id,
      provider,
      usage: {
        prompt_tokens: input,
        total_tokens: input,
        ...(bill && { cost: usdNumber(bill.cost), cost_details: viewCostDetails(bill) }),
        is_byok: isByok,
      },
      ...extras,
    };
  },
});
