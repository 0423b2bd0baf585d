/** SQLSTATE of a server that has crashed: callers are answered as while a server is away. */
const CRASHED = '57P02';

/** The embedded engine has ended, and answers nothing until a new process opens the database. */
export class EngineDied extends Error {
  override readonly name = 'EngineDied';
  readonly code = CRASHED;

  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded database has ended: ${reason}`, options);
  }
}

/** Whether the embedded engine of this process lives. Of a server on the network it never says anything. */
export class EngineLife {
  private died: EngineDied | undefined;
  private tell: (died: EngineDied) => void = () => undefined;
  /** Resolves when it dies; never rejects. */
  readonly death = new Promise<EngineDied>((resolve) => (this.tell = resolve));

  /** What it died of; absent while it lives. */
  get diedOf(): EngineDied | undefined {
    return this.died;
  }

  /** It is dead for good; what it died of first is what is told. */
  end(died: EngineDied): void {
    this.died ??= died;
    this.tell(this.died);
  }
}
