import { usdNumber } from '../../core/money/credits.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import type { WholeFace } from '../common/face.js';
import { tokensOf, viewCostDetails } from '../common/view-cost.js';
import type { RerankBody } from './schemas/reply.js';
import type { WireDocument } from './schemas/request.js';

/**
 * The view of one request's ranking.
 * @param documents as the caller sent them
 */
export const rerankFace = (documents: readonly WireDocument[]): WholeFace<RerankBody> => ({
  *view({ id, model, provider, isByok, bill, charged = {}, extras }, { computed }): Steps<RerankBody> {
    if (computed?.kind !== 'rerank') throw new Error('The reply contains no ranking.');
    const results: RerankBody['results'][number][] = [];
    const steps = new StepCounter();
    for (const { index, score } of computed.results) {
      const sent = documents[index]!;
      const { text, image } = typeof sent === 'string' ? { text: sent, image: undefined } : sent;
      const document = { ...(text !== undefined && { text }), ...(image !== undefined && { image }) };
      results.push({ index, relevance_score: score, document });
      if (steps.isOver()) yield;
    }
    const { searchUnits } = charged;
    return {
      id,
      model,
      provider,
      results,
      usage: {
        total_tokens: tokensOf(charged).input,
        ...(searchUnits !== undefined && { search_units: searchUnits }),
        ...(bill && { cost: usdNumber(bill.cost), cost_details: viewCostDetails(bill) }),
        is_byok: isByok,
      },
      ...extras,
    };
  },
});
