import { ThrottlerStorageService } from '@nestjs/throttler';

/** Addresses counted apart at one time: about 25 MB when each has failed 300 times. */
const ADDRESSES_MAX = 10_000;

/** What further addresses are counted as: together, since so many at once are one attack. */
const CROWD = 'crowd';

/** Counts in this process, in bounded memory whatever the number of addresses. */
export class LocalThrottlerStorage extends ThrottlerStorageService {
  constructor(private readonly addressesMax = ADDRESSES_MAX) {
    super();
  }

  override async increment(
    key: string,
    ttlMs: number,
    limit: number,
    blockMs: number,
    throttlerName: string,
  ): ReturnType<ThrottlerStorageService['increment']> {
    const countedAs = this.storage.has(key) || this.storage.size < this.addressesMax ? key : CROWD;
    return super.increment(countedAs, ttlMs, limit, blockMs, throttlerName);
  }
}
