/**
 * Values that all replicas read for a while. They may disappear at any time; without Redis there are none. Never
 * rejects.
 */
export abstract class SharedValues {
  /** @returns undefined where there is none, or Redis does not answer in time */
  abstract read(key: string): Promise<Buffer | undefined>;

  abstract write(key: string, value: Buffer, ttlMs: number): Promise<void>;

  /** The value is not read here from now on, and removed as soon as Redis answers. */
  abstract remove(key: string): Promise<void>;
}

export class NoSharedValues extends SharedValues {
  override read(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override write(): Promise<void> {
    return Promise.resolve();
  }

  override remove(): Promise<void> {
    return Promise.resolve();
  }
}
