/** The interface between a link and each map that joined it. */
export interface LinkedMap {
  /** Lower-case words and hyphens: prefix of its keys and channel. */
  readonly name: string;
  readonly entriesMax: number;
  /** Called for each write to the map anywhere, including its own. */
  receive(key: string, text: string): void;
  /** Called with the content of Redis each time the link has connected. All later writes are received. */
  load(entries: ReadonlyMap<string, string>): void;
  /** Called repeatedly while the link is connected, to write what Redis does not have yet. */
  resend(): void;
}

/** The link between the maps of this process and those of the other replicas. One per process. */
export abstract class ReplicaLink {
  abstract join(map: LinkedMap): void;

  /** Whether the shared store is reachable now; undefined: there is none. */
  get answers(): boolean | undefined {
    return undefined;
  }

  /**
   * Stores an entry and publishes it to the replicas. Never rejects.
   * @returns false where this is not known to have happened: the map should try again
   */
  abstract write(name: string, key: string, text: string, ttlMs: number): Promise<boolean>;
}

/** There is no other replica: each write is complete immediately. */
export class NoReplicas extends ReplicaLink {
  override join(): void {}

  override write(): Promise<boolean> {
    return Promise.resolve(true);
  }
}
