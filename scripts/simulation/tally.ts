import type { PicoUsd } from '../../src/core/money/credits.js';
import type { Model } from '../../src/core/routing/catalog.js';
import type { Leg } from '../../src/core/routing/plan.js';
import type { PromptClass } from '../../src/plugins/auto-router/prompt-class.js';
import { expectedQuality } from '../../src/plugins/auto-router/rank-models.js';
import { HOUR_MS } from '../../src/core/time.js';
import type { AnswerTokens } from './list-price.js';

export const HOURS = 24;

/** The counts of one provider. */
export interface ProviderTally {
  attempts: number;
  /** Attempts that were refused for too many calls. */
  rateLimited: number;
  /** Attempts that failed in another way. */
  faults: number;
  answers: number;
  costPicoUsd: PicoUsd;
  readonly answersByHour: number[];
}

/** Counts of a day. */
export class Tally {
  decisions = 0;
  attempts = 0;
  /** Requests that needed more than one attempt. */
  failovers = 0;
  answers = 0;
  costPicoUsd: PicoUsd = 0n;
  promptTokens = 0;
  cachedTokens = 0;
  answerTokens = 0;
  /** The requests for which no leg could be called, by error code. */
  readonly refused = new Map<string, number>();
  /** The requests for which every called leg failed, by kind of error. */
  readonly failed = new Map<string, number>();
  readonly providers = new Map<string, ProviderTally>();
  /** Pairs of consecutive answers in a session. */
  continued = 0;
  /** The sessions that two endpoints answered. */
  moves = 0;
  /** Tokens that the previous endpoint would have read from its cache, less what the new one read. */
  cachedTokensLost = 0;
  /** Duration of planning in milliseconds of this process, including the look-up of health and pins. */
  planningMs = 0;
  /** Answers to prompts of a known kind. */
  judged = 0;
  /**
   * Sums over these: the scores of the answering models, and the likelihood of a good answer at the prompt's
   * difficulty.
   */
  score = 0;
  quality = 0;
  private readonly movedSessions = new Set<string>();
  private readonly firstTokens: number[] = [];
  private isSorted = true;

  get sessionsMoved(): number {
    return this.movedSessions.size;
  }

  refuse(code: string): void {
    count(this.refused, code);
  }

  fail(kind: string, attempts: number): void {
    count(this.failed, kind);
    if (attempts > 1) this.failovers++;
  }

  attempt(leg: Leg, fault?: 'rate-limited' | 'other'): void {
    this.attempts++;
    const provider = this.providerOf(leg);
    provider.attempts++;
    if (fault === 'rate-limited') provider.rateLimited++;
    else if (fault) provider.faults++;
  }

  /** @param firstMs from the request to the first token, including failed attempts */
  answer(leg: Leg, tokens: AnswerTokens, cost: PicoUsd, firstMs: number, attempts: number, dayMs: number): void {
    const provider = this.providerOf(leg);
    // Answers after midnight count in the last hour.
    const hour = Math.min(HOURS - 1, Math.floor(dayMs / HOUR_MS));
    provider.answers++;
    provider.answersByHour[hour]!++;
    provider.costPicoUsd += cost;
    this.answers++;
    this.costPicoUsd += cost;
    this.promptTokens += tokens.fresh + tokens.cached + tokens.written;
    this.cachedTokens += tokens.cached;
    this.answerTokens += tokens.answer;
    if (attempts > 1) this.failovers++;
    this.firstTokens.push(firstMs);
    this.isSorted = false;
  }

  /** A model without the score for the kind is not counted: it is unknown. */
  judge({ scores }: Model, { kind, difficulty }: PromptClass): void {
    this.judged++;
    const score = (kind === 'code' ? scores.coding : scores.quality)?.value;
    if (score === undefined) return;
    this.score += score;
    this.quality += expectedQuality(score, difficulty);
  }

  /** A further answer of a session. */
  continue(session: string, hasMoved: boolean, cachedTokensLost: number): void {
    this.continued++;
    if (!hasMoved) return;
    this.moves++;
    this.movedSessions.add(session);
    this.cachedTokensLost += cachedTokensLost;
  }

  /** Time to the first token in milliseconds that this share of the answers kept to; 0 without answers. */
  firstTokenMs(share: number): number {
    if (!this.isSorted) this.firstTokens.sort((one, other) => one - other);
    this.isSorted = true;
    return this.firstTokens[Math.max(0, Math.ceil(share * this.firstTokens.length) - 1)] ?? 0;
  }

  private providerOf({ endpoint }: Leg): ProviderTally {
    const { slug } = endpoint.provider;
    let provider = this.providers.get(slug);
    if (!provider) {
      const answersByHour = new Array<number>(HOURS).fill(0);
      provider = { attempts: 0, rateLimited: 0, faults: 0, answers: 0, costPicoUsd: 0n, answersByHour };
      this.providers.set(slug, provider);
    }
    return provider;
  }
}

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};
