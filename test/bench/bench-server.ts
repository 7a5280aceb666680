import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#libs/embedded-postgres';
import { migrate, type MigrateOptions } from '#libs/postgres';

/** The measurements' own PostgreSQL, with the settings of the product, in a temporary folder. */
export class BenchServer {
  private made = 0;

  private constructor(
    readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
    readonly version: string,
  ) {}

  static async start(): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-bench-'));
    try {
      const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
      const version = await connectedTo(postgres.adminUrl, async (admin) => {
        const { rows } = await admin.query<{ server_version: string }>('SHOW server_version');
        return rows[0]?.server_version ?? 'unknown';
      });
      return new BenchServer(folder, postgres, version);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get pid(): number {
    return Number(readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** A migrated database of its own, used and dropped again. */
  async withDatabase<T>(options: MigrateOptions, work: (url: string) => Promise<T>): Promise<T> {
    this.made += 1;
    const name = `bench_${String(this.made)}`;
    const url = new URL(this.postgres.adminUrl);
    url.pathname = `/${name}`;
    await this.asAdmin(`CREATE DATABASE ${name}`);
    try {
      await migrate(url.href, options);
      return await work(url.href);
    } finally {
      await this.asAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  }

  async stop(): Promise<void> {
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async asAdmin(statement: string): Promise<void> {
    await connectedTo(this.postgres.adminUrl, async (admin) => await admin.query(statement));
  }
}

export async function connect(url: string, applicationName = 'jobwarden-bench'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A connection for the time of `work`. */
export async function connectedTo<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
