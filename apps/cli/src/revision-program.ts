import type { Command } from 'commander';
import type { RevisionCallFlags, RevisionsFlags } from './commands/revisions.js';
import { json, namespaced, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden revisions …` */
export function addRevisions(program: Command, context: Context, ended: Ended): void {
  const revisions = program.command('revisions').description('releases of workers, and which are out of service');
  const load = async () => await import('./commands/revisions.js');
  namespaced(serviceOptions(revisions.command('list', { isDefault: true }).description('list those that were seen within a day, by queue')))
    .option('--queue <queue>', 'only this queue')
    .addOption(json())
    .action(async (flags: RevisionsFlags) => ended(await (await load()).runRevisions(flags, context)));
  oneRevision(revisions.command('refuse').description('take one out of service: its workers begin nothing more'))
    .option('--force', 'also one that no worker names, that all workers run, or that alone does well')
    .action(async (revision: string, flags: RevisionCallFlags) => ended(await (await load()).runRevisionCall('refuse', revision, flags, context)));
  oneRevision(revisions.command('readmit').description('let one in again')).action(async (revision: string, flags: RevisionCallFlags) =>
    ended(await (await load()).runRevisionCall('readmit', revision, flags, context)),
  );
}

function oneRevision(command: Command): Command {
  return namespaced(serviceOptions(command))
    .argument('<revision>', 'as workers name it')
    .option('--queue <queue>', 'only in this queue; left out: in all of the namespace')
    .requiredOption('--reason <text>', 'why; kept')
    .addOption(json());
}
