// One embedded PostgreSQL for a whole test run, with a template database that every spec file copies. In a
// temporary folder: a run leaves nothing in the checkout and never meets the data of `npm start`.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#libs/embedded-postgres';
import { makeFolder, removeAbandonedFolders } from './abandoned.js';
import { templateDatabase, type TestServer } from './database.js';

const folderPrefix = 'jobwarden-test-';

interface SharedServer {
  readonly server: TestServer;
  readonly stop: () => Promise<void>;
  users: number;
}

// Every vitest project loads this module for itself; the server is one for all of them.
const shared = globalThis as { jobwardenTestServer?: Promise<SharedServer> };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const used = await (shared.jobwardenTestServer ??= start());
  used.users++;
  project.provide('testServer', used.server);
  return async () => {
    if (--used.users > 0) return;
    delete shared.jobwardenTestServer;
    await used.stop();
  };
}

async function start(): Promise<SharedServer> {
  removeAbandonedFolders(tmpdir(), folderPrefix);
  const folder = makeFolder(tmpdir(), folderPrefix);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fast: true });
  const stop = async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { server: { adminUrl: postgres.adminUrl, template: await buildTemplate(postgres) }, stop, users: 0 };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The migrations run once here instead of once per spec file. */
async function buildTemplate({ adminUrl }: EmbeddedPostgres): Promise<string | null> {
  if (!existsSync(join(import.meta.dirname, '../../postgres/src/index.ts'))) return null;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${templateDatabase}`);
    const url = new URL(adminUrl);
    url.pathname = `/${templateDatabase}`;
    const module: string = '#libs/postgres';
    const { migrate } = (await import(module)) as { migrate: (url: string) => Promise<unknown> };
    await migrate(url.href);
    // Copying needs a template without connections; one left open by the migrations would fail every spec file.
    await admin.query(`alter database ${templateDatabase} with allow_connections false is_template true`);
    return templateDatabase;
  } finally {
    await admin.end();
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}
