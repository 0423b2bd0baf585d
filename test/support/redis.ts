/** The address of the suite's Redis; null where there is none. */
export const redisAddress = globalThis.__SERVICES__.redis;

/** For suites that need a real Redis: listed as skipped where none answers. */
export const describeOnRedis = redisAddress === null ? describe.skip : describe;
