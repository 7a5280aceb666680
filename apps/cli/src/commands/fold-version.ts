import type { FoldStanding, FoldSwitch } from '#libs/application';
import { PgFoldVersionStore } from '#libs/postgres';
import { withDatabase } from '../database/database-command.js';
import { onInstalled } from '../database/installed.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { figure } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface FoldVersionFlags {
  readonly switch?: number;
  readonly json?: boolean;
}

export async function runFoldVersion(flags: FoldVersionFlags, context: Context): Promise<ExitCode> {
  return await withDatabase(context, { create: false }, async (address) =>
    onInstalled(address, async (database) => {
      const store = new PgFoldVersionStore(database);
      if (flags.switch === undefined) return showStanding(await store.read(), flags, context);
      return showSwitch(await store.switchTo(flags.switch), flags, context);
    }),
  );
}

function showStanding(standing: FoldStanding, { json = false }: FoldVersionFlags, { terminal }: Context): ExitCode {
  if (json) {
    terminal.out(JSON.stringify(standing));
    return EXIT.fine;
  }
  const { inForce, knows, replicas, rows } = standing;
  terminal.out(`Version ${String(inForce)} is in force; this program knows ${String(knows.oldest)} to ${String(knows.newest)}.`);
  for (const { foldVersion, count } of rows) terminal.out(`  ${figure(count)} rows of version ${String(foldVersion)}`);
  for (const { name, replicaId, roles, newest } of replicas) {
    terminal.out(`  replica ${name === '' ? replicaId : name} (${roles}) knows up to ${String(newest)}`);
  }
  return EXIT.fine;
}

function showSwitch(outcome: FoldSwitch, { json = false }: FoldVersionFlags, { terminal }: Context): ExitCode {
  if (json) terminal.out(JSON.stringify(outcome));
  if (outcome.kind === 'refused') {
    terminal.err(`Refused (${outcome.code}): ${outcome.detail}.`);
    return EXIT.refused;
  }
  if (json) return EXIT.fine;
  if (outcome.kind === 'unchanged') terminal.out(`Version ${String(outcome.inForce)} is in force already.`);
  else {
    terminal.out(`Version ${String(outcome.to)} is in force, and was ${String(outcome.from)}. An older program is refused from now on.`);
    terminal.out('The audit of the service moves the rows there, a hundred a second; `jobwarden rebuild` does it at once.');
  }
  return EXIT.fine;
}
