import { join } from 'node:path';
import { superviseEmbeddedPostgres } from '#libs/embedded-postgres';
import type { Logger } from 'pino';

export interface EmbeddedDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** Below the data folder, so that other things of the service can stand beside it. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** The PostgreSQL that npm brought. When it dies it is started again; until then the service is not ready. */
export async function startEmbedded(dataDir: string, log: Logger): Promise<EmbeddedDatabase> {
  return await superviseEmbeddedPostgres({
    dataDir: embeddedFolder(dataDir),
    log: (line) => log.debug({ postgres: line }, 'embedded PostgreSQL'),
    onDown: (exit) => log.error(exit, 'the embedded PostgreSQL died, and is started again'),
    onUp: (tries) => log.info({ tries }, 'the embedded PostgreSQL is back'),
    onFailedTry: (error, pauseMs) =>
      log.error({ err: error, pauseMs }, 'the embedded PostgreSQL could not be started again'),
  });
}
