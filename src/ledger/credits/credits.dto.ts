import { GatewayError } from '../../core/errors.js';
import type { ExactNumber } from '../../core/json/json.js';
import { Closed } from '../../shared/http/closed.decorator.js';
import { STORABLE } from '../../shared/http/field-patterns.js';
import { shortText } from '../../shared/http/shared-fields.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../../shared/http/may-omit.decorator.js';
import { compile, oneOf, text, type Of } from '../../shared/http/schema.js';
import { readUsdNumber } from '../../shared/http/usd-amount.js';
import { IsUsdChange } from '../../shared/http/usd-validators.js';
import type { ManualCredits } from './credits.service.js';

const kind = compile(oneOf(['purchase', 'adjustment', 'refund']));
// Chosen value: enough for a sentence with a reference to an invoice.
const note = compile(text({ max: 1_000, ...STORABLE }));

/** Body of `POST /credits` (docs/operate/keys.md#credits). */
@Closed()
export class EnterCreditsDto {
  @IsUsdChange()
  amount!: number | ExactNumber;

  /** Defaults to a purchase. */
  @MayOmit()
  @Fits(kind)
  kind?: Of<typeof kind>;

  @MayOmit()
  @MayBeNull()
  @Fits(note)
  note?: string | null;

  /** A repeated request with the same key adds nothing. */
  @MayOmit()
  @Fits(shortText)
  idempotency_key?: string;
}

/**
 * The credits that a valid body enters.
 * @throws GatewayError `invalid-request` for a purchase below zero or a refund above zero
 */
export function readNewCredits(body: EnterCreditsDto): ManualCredits {
  const amount = readUsdNumber(body.amount) ?? 0n;
  const credits = { kind: body.kind ?? 'purchase', amount } as const;
  if (credits.kind === 'purchase' && amount <= 0n)
    throw new GatewayError('invalid-request', 'amount: must be above 0, unless the kind is adjustment or refund');
  if (credits.kind === 'refund' && amount >= 0n)
    throw new GatewayError('invalid-request', 'amount: must be below 0 where the kind is refund');
  return { ...credits, note: body.note ?? null, idempotencyKey: body.idempotency_key ?? null };
}
