import type { Client, Connection, Submittable } from 'pg';

/** What the driver's types leave out of its connection. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A statement of the COPY family. The driver has none of its own, but carries one out when it is handed to it. */
abstract class Copy<Result> implements Submittable {
  readonly done: Promise<Result>;
  private settle: { resolve: (result: Result) => void; reject: (error: unknown) => void } | undefined;
  private failed: unknown;

  constructor(private readonly text: string) {
    this.done = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
  }

  protected abstract result(): Result;

  submit = (connection: Connection): void => {
    (connection as unknown as CopyConnection).query(this.text);
  };

  handleError(error: unknown): void {
    this.failed ??= error;
  }

  /** The end, also after an error. */
  handleReadyForQuery(): void {
    if (this.failed === undefined) this.settle?.resolve(this.result());
    else this.settle?.reject(this.failed);
  }

  handleCommandComplete(): void {
    // The end is ReadyForQuery.
  }
}

class CopyIn extends Copy<undefined> {
  constructor(
    text: string,
    private readonly lines: Buffer,
  ) {
    super(text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.lines);
    connection.endCopyFrom();
  }

  protected override result(): undefined {
    return undefined;
  }
}

class CopyOut extends Copy<readonly Buffer[]> {
  private readonly lines: Buffer[] = [];

  /** The driver reuses its buffer: a chunk must be copied to outlive the call. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.lines.push(Buffer.from(chunk));
  }

  protected override result(): readonly Buffer[] {
    return this.lines;
  }
}

/** `COPY … FROM STDIN` of ready lines, in a transaction of its own: the fastest way into a table that there is. */
export async function copyIn(client: Client, text: string, lines: Buffer): Promise<void> {
  await client.query(new CopyIn(text, lines)).done;
}

/** `COPY … TO STDOUT`: each row as the line that COPY FROM takes. */
export async function copyOut(client: Client, text: string): Promise<readonly Buffer[]> {
  return await client.query(new CopyOut(text)).done;
}
