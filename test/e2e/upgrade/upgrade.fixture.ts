import pg from 'pg';
import { cliEntry, createTestDatabase, freePort, serverEntry, startProcess, type TestDatabase, type TestProcess } from '#libs/testing';

export type Serving = TestProcess & { readonly url: string };

/** A database, a session on it that is somebody else's, and whole processes; `end` ends them all. */
export class Upgrade {
  private readonly running: TestProcess[] = [];

  private constructor(
    readonly database: TestDatabase,
    /** Named `somebody`. */
    readonly other: pg.Client,
  ) {}

  static async on(options: { readonly empty?: boolean } = {}): Promise<Upgrade> {
    const database = await createTestDatabase(options);
    const other = new pg.Client({ connectionString: database.url, application_name: 'somebody' });
    await other.connect();
    return new Upgrade(database, other);
  }

  migrating(...args: string[]): TestProcess {
    return this.start(cliEntry, ['migrate', ...args]);
  }

  /** Not waited for. */
  async serving(env: Readonly<Record<string, string>> = {}): Promise<Serving> {
    const port = String(await freePort());
    return { ...this.start(serverEntry, [], { NODE_ENV: 'production', JOBWARDEN_HTTP_PORT: port, ...env }), url: `http://127.0.0.1:${port}` };
  }

  async killAll(): Promise<void> {
    await Promise.all(this.running.splice(0).map((one) => one.kill()));
  }

  async end(): Promise<void> {
    await this.killAll();
    await this.other.end();
    await this.database.drop();
  }

  private start(entry: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): TestProcess {
    const one = startProcess({ entry, args, env: { JOBWARDEN_DATABASE_URL: this.database.url, ...env } });
    this.running.push(one);
    return one;
  }
}
