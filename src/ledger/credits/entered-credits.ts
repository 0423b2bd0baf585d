import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import { moment, nullable, number, object, oneOf, text, titled, type Static } from '../../shared/http/schema.js';

const KINDS = ['grant', 'purchase', 'adjustment', 'refund'] as const;

/** Credits that were added, or taken back. */
export interface EnteredCredits {
  readonly id: string;
  readonly kind: (typeof KINDS)[number];
  readonly amount: PicoUsd;
  readonly note: string | null;
  readonly createdAt: Date;
}

/** Credits as the API returns them, without the balance, so that a repeated request gets the same response. */
export const creditsView = titled(
  'credits',
  object({ id: text(), kind: oneOf(KINDS), amount: number(), note: nullable(text()), created_at: moment() }),
);
export type CreditsView = Static<typeof creditsView>;

/** Amounts become JSON numbers here and nowhere earlier. */
export function viewCredits({ id, kind, amount, note, createdAt }: EnteredCredits): CreditsView {
  return { id, kind, amount: usdNumber(amount), note, created_at: createdAt.toISOString() };
}
