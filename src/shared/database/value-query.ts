import type pg from 'pg';

type Callback = (error: unknown, value?: string | null) => void;

/** What of the driver's connection is used here: its types are of an older release. */
interface Protocol {
  /** Without the two where the database is embedded. */
  readonly stream: { cork?(): void; uncork?(): void };
  parse(message: { readonly name: ''; readonly text: string }): void;
  bind(message: { readonly values: readonly (string | null)[] }): void;
  execute(): void;
  sync(): void;
}

/**
 * A statement whose answer is one value, read as text: the driver is spared the description of the columns, the row and the result, which
 * cost it more than the rest. It goes out as one piece, planned for this one time. Handed to a pool's `query`.
 * Source: "Extended Query" in the description of PostgreSQL's protocol; the driver calls what has a `submit` as its own queries.
 */
export class ValueQuery implements pg.Submittable {
  /** Set by the driver. */
  callback: Callback | undefined;
  /** Undefined before the first row. */
  private value: string | null | undefined;

  constructor(
    private readonly text: string,
    private readonly values: readonly (string | null)[],
  ) {}

  submit(connection: pg.Connection): void {
    const protocol = connection as unknown as Protocol;
    protocol.stream.cork?.();
    try {
      protocol.parse({ name: '', text: this.text });
      protocol.bind({ values: this.values });
      protocol.execute();
      protocol.sync();
    } finally {
      protocol.stream.uncork?.();
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.value === undefined) this.value = fields[0] ?? null;
  }

  handleCommandComplete(): void {
    // The value is told when the server is ready for the next statement.
  }

  handleReadyForQuery(): void {
    this.end(null);
  }

  handleError(error: unknown): void {
    this.end(error);
  }

  private end(error: unknown): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.(error, this.value ?? null);
  }
}
