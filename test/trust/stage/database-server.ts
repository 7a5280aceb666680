import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#libs/embedded-postgres';
import { newDatabase } from '../../chaos/run.js';

/** A real PostgreSQL that can be taken away: stopped like a machine that hangs, or ended and started on its port again. */
export class DatabaseServer {
  private constructor(
    private readonly dataDir: string,
    private server: EmbeddedPostgres,
    /** The superuser's address of the report's database. */
    readonly url: string,
  ) {}

  static async start(dataDir: string): Promise<DatabaseServer> {
    const server = await startEmbeddedPostgres({ dataDir });
    return new DatabaseServer(dataDir, server, await newDatabase(server.adminUrl));
  }

  /** SIGSTOP to all its processes: connections stay open and nothing is answered, until `resume`. */
  pause(): void {
    // First the one that would make others.
    process.kill(this.server.pid, 'SIGSTOP');
    this.signalBackends('SIGSTOP');
  }

  resume(): void {
    this.signalBackends('SIGCONT');
    process.kill(this.server.pid, 'SIGCONT');
  }

  /** A clean shutdown that ends all sessions. */
  async stop(): Promise<void> {
    await this.server.stop();
  }

  async startAgain(): Promise<void> {
    this.server = await startEmbeddedPostgres({ dataDir: this.dataDir, port: this.server.port });
  }

  /** By a connection of its own: one that lives on would go with the server. */
  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return await this.with(async (client) => (await client.query<Row>(text, [...values])).rows);
  }

  async with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'trust' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  private signalBackends(signal: NodeJS.Signals): void {
    const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.server.pid)], { encoding: 'utf8' });
    for (const pid of listed.split('\n').map(Number)) {
      try {
        if (pid > 0) process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}
