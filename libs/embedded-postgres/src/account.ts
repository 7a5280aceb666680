// PostgreSQL refuses to run as root, and containers often know no other user. Run by root, the server gets
// the identity of an unprivileged account. The data folder belongs to that account, whichever way is taken:
//
//   plain          the account as it is
//   search, write  the account plus one capability, where a folder of mode 700 (/root, a temporary folder)
//                  lies above the program or the data and the account could not pass. Reading is tried first;
//                  containers usually grant only the stronger DAC_OVERRIDE. `no_setuid_fixup` because
//                  access(2), with which the server looks for itself, would ignore the capability.
import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';

/** How to start a program so that PostgreSQL accepts who it is. */
export interface Account {
  /** Owner of the data folder; undefined when it is simply the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** Passed to spawn. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
  /** A program and arguments to put before the real command. */
  readonly prefix: readonly string[];
}

/** The server's environment: nothing of ours (PGDATA, PGPORT, a locale) may change how it runs. */
export const cleanEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  ...(process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {}),
};

const currentUser: Account = { owner: undefined, identity: {}, prefix: [] };

/**
 * Chooses the account for a data folder that exists: its owner's if it belongs to one already, else the first
 * that can both enter the folder and run the server. Gives the folder to that account.
 */
export function chooseAccount(dataDir: string, binaries: Binaries): Account {
  if (process.getuid?.() !== 0) return currentUser;
  const { uid, gid } = statSync(dataDir);
  const owners = uid === 0 ? unprivilegedOwners() : [{ uid, gid }];
  for (const account of owners.flatMap(waysToBe)) {
    if (account.owner) chownSync(dataDir, account.owner.uid, account.owner.gid);
    if (works(account, dataDir, binaries)) return account;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and no unprivileged user can reach both ${dataDir} and ${binaries.postgres}. ` +
      'Start Jobwarden as an ordinary user, or open the folders above both (chmod o+x), ' +
      'or name an external PostgreSQL in JOBWARDEN_DATABASE_URL.',
  );
}

function unprivilegedOwners(): { uid: number; gid: number }[] {
  const users = new Map<string, { uid: number; gid: number }>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name) users.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  // 65534 is the kernel's own nobody: a valid owner even where no user has that name.
  return [users.get('postgres'), users.get('nobody') ?? { uid: 65_534, gid: 65_534 }].filter(
    (owner) => owner !== undefined,
  );
}

function waysToBe(owner: { uid: number; gid: number }): Account[] {
  const withCapability = (name: string): Account => ({
    owner,
    identity: {},
    prefix: [
      ...['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'],
      ...['--securebits=+no_setuid_fixup', `--inh-caps=-all,+${name}`, `--ambient-caps=+${name}`, '--'],
    ],
  });
  return [
    { owner, identity: owner, prefix: [] },
    withCapability('dac_read_search'),
    withCapability('dac_override'),
  ];
}

/** `--describe-config` makes the server find its own files, as a real start does. */
function works(account: Account, dataDir: string, binaries: Binaries): boolean {
  const probe = ['sh', '-c', 'cd "$1" && exec "$2" --describe-config', 'sh', dataDir, binaries.postgres];
  const [program, ...args] = [...account.prefix, ...probe];
  if (program === undefined) return false;
  const { status } = spawnSync(program, args, {
    ...account.identity,
    cwd: '/',
    env: cleanEnvironment,
    stdio: 'ignore',
  });
  return status === 0;
}
