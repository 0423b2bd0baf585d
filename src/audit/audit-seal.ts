import { createHmac, timingSafeEqual } from 'node:crypto';

/** A mark that only an owner of the data key can make. */
export interface Seal {
  /** Lowercase hex of an HMAC-SHA-256. */
  readonly seal: string;
  /** Id of the data key. */
  readonly sealKey: string;
}

/** The anchor of the entries that retention removed, as its seal covers it. */
export interface CoveredAnchor {
  readonly accountId: string;
  /** Position and hash of the last removed entry. */
  readonly seq: number;
  readonly hash: string;
  /** Whether that entry was sealed. */
  readonly wasSealed: boolean;
}

/** One data key of the audit log: makes seals and checks them. Safe to share. */
export class Sealer {
  /** Private to the runtime too, so that no inspection prints it. */
  readonly #key: Buffer;

  constructor(
    readonly sealKey: string,
    key: Buffer,
  ) {
    this.#key = key;
  }

  /**
   * @param hash of the entry: it covers the entry, its position, and through the previous hash all entries before it
   */
  ofEntry(hash: string): Seal {
    return this.seal(['entry', hash]);
  }

  ofAnchor({ accountId, seq, hash, wasSealed }: CoveredAnchor): Seal {
    return this.seal(['anchor', accountId, seq, hash, wasSealed]);
  }

  /** The first word is the kind of the sealed object, so that no seal of one kind is valid for another. */
  private seal(covered: readonly unknown[]): Seal {
    const seal = createHmac('sha256', this.#key).update(JSON.stringify(covered)).digest('hex');
    return { seal, sealKey: this.sealKey };
  }
}

/** Compares in constant time, so that the duration reveals nothing. */
export const isSameSeal = (one: Seal, other: Seal): boolean =>
  one.seal.length === other.seal.length && timingSafeEqual(Buffer.from(one.seal), Buffer.from(other.seal));
