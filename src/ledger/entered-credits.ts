import { usdNumber, type PicoUsd } from '../core/money/credits.js';

/** Credits that came in. */
export interface EnteredCredits {
  readonly id: string;
  readonly kind: 'grant' | 'purchase' | 'adjustment';
  readonly amount: PicoUsd;
  readonly note: string | null;
  readonly createdAt: Date;
}

/** The same on the wire. It says nothing of the balance, so that the same request has the same answer for ever. */
export interface CreditsView {
  id: string;
  kind: string;
  amount: number;
  note: string | null;
  created_at: string;
}

/** Amounts become JSON numbers here and nowhere earlier. */
export function viewCredits({ id, kind, amount, note, createdAt }: EnteredCredits): CreditsView {
  return { id, kind, amount: usdNumber(amount), note, created_at: createdAt.toISOString() };
}
