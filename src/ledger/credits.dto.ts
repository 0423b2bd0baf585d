import { GatewayError } from '../core/errors.js';
import type { ExactNumber } from '../core/exact-json.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits, ReadableBy } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, number, oneOf, text, type Of } from '../shared/http/schema.js';
import type { NewCredits } from './credits.repository.js';
import { readUsdNumber } from './usd-amount.js';

const kind = compile(oneOf(['purchase', 'adjustment']));
// Not in scope; chosen: room for a sentence with a reference to an invoice.
const note = compile(text({ max: 1_000, ...STORABLE }));
// Not in scope; chosen: as other gateways bound it.
const idempotencyKey = compile(text({ min: 1, max: 255, ...STORABLE }));

/** An amount of USD as a JSON number: exact to 12 decimals, and not nothing. */
const IsAmount = (): PropertyDecorator =>
  ReadableBy(
    'isAmount',
    (value) => (readUsdNumber(value) ?? 0n) !== 0n,
    'must be a number of USD other than 0, below 10^15, with at most 12 decimals',
    number(),
  );

/** Body of `POST /credits` (DESIGN 11). */
export class EnterCreditsDto {
  @IsAmount()
  amount!: number | ExactNumber;

  /** A purchase where it is left out. */
  @MayOmit()
  @Fits(kind)
  kind?: Of<typeof kind>;

  @MayOmit()
  @MayBeNull()
  @Fits(note)
  note?: string | null;

  /** The same one again does nothing more. */
  @MayOmit()
  @Fits(idempotencyKey)
  idempotency_key?: string;
}

/**
 * The credits that a valid body enters.
 * @throws GatewayError `invalid-request` for a purchase of less than nothing
 */
export function readNewCredits(body: EnterCreditsDto): NewCredits {
  const amount = readUsdNumber(body.amount) ?? 0n;
  const credits = { kind: body.kind ?? 'purchase', amount } as const;
  if (credits.kind === 'purchase' && amount <= 0n)
    throw new GatewayError('invalid-request', 'amount: must be above 0, unless the kind is adjustment');
  return { ...credits, note: body.note ?? null, idempotencyKey: body.idempotency_key ?? null };
}
