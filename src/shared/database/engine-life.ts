/** SQLSTATE of a server that has crashed: callers get the same answer as while a server is unreachable. */
const CRASHED = '57P02';

/** The embedded engine has ended, and answers nothing until a new process opens the database. */
export class EngineDied extends Error {
  override readonly name = 'EngineDied';
  readonly code = CRASHED;

  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded database has ended: ${reason}`, options);
  }
}

/** Whether the embedded engine of this process is alive. Unused with a server. */
export class EngineLife {
  private died: EngineDied | undefined;
  private report: (died: EngineDied) => void = () => undefined;
  /** Resolves when it dies; never rejects. */
  readonly death = new Promise<EngineDied>((resolve) => (this.report = resolve));

  /** Why it died; absent while it lives. */
  get diedOf(): EngineDied | undefined {
    return this.died;
  }

  /** Notes the death of the engine, which is final. The first cause is reported. */
  end(died: EngineDied): void {
    this.died ??= died;
    this.report(this.died);
  }
}
