/** What a link asks of each map that joined it. */
export interface LinkedMap {
  /** Lower-case words and hyphens: keys and channel are named after it. */
  readonly name: string;
  readonly entriesMax: number;
  /** Told of each write to the map anywhere, its own included. */
  receive(key: string, text: string): void;
  /** Given what Redis holds, each time the link has come up. Everything written after that is heard. */
  load(entries: ReadonlyMap<string, string>): void;
  /** Asked again and again while the link is up, to write what Redis does not have yet. */
  resend(): void;
}

/** Between the maps of this process and those of the other replicas. One per process. */
export abstract class ReplicaLink {
  abstract join(map: LinkedMap): void;

  /** Whether what the replicas share can be reached now; undefined: there is nothing to reach. */
  get answers(): boolean | undefined {
    return undefined;
  }

  /**
   * Stores an entry and tells the replicas of it. Never rejects.
   * @returns false where this is not known to have happened: the map is to try again
   */
  abstract write(name: string, key: string, text: string, ttlMs: number): Promise<boolean>;
}

/** No other replica to tell: each write is done as it is made. */
export class NoReplicas extends ReplicaLink {
  override join(): void {}

  override write(): Promise<boolean> {
    return Promise.resolve(true);
  }
}
