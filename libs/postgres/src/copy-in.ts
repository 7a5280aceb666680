import pg from 'pg';

/** What the driver's types leave out of its connection. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * `COPY … FROM STDIN`, which the driver has no call for. The rows follow the statement at once: a server that refuses
 * it skips them.
 */
class CopyIn extends pg.Query {
  constructor(
    private readonly statement: string,
    private readonly payload: Buffer,
  ) {
    super(statement);
  }

  override submit = (connection: pg.Connection): void => {
    const copying = connection as unknown as CopyConnection;
    copying.query(this.statement);
    copying.sendCopyFromChunk(this.payload);
    copying.endCopyFrom();
  };

  /** The driver's own answer is a refusal. */
  handleCopyInResponse(): void {
    // The rows are on their way.
  }
}

export async function copyIn(client: pg.ClientBase, text: string, rows: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const query = new CopyIn(text, rows);
    query.on('end', () => {
      resolve();
    });
    query.on('error', reject);
    client.query(query);
  });
}
