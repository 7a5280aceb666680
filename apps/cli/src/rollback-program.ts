import { Option, type Command } from 'commander';
import type { RollbackFlags } from './commands/rollback.js';
import { AFTER_ROLLBACK } from './help-texts.js';
import { json, milliseconds, namespaced, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden rollback` */
export function addRollback(program: Command, context: Context, ended: Ended): void {
  namespaced(serviceOptions(program.command('rollback').description('take a bad release of workers back, by hand, and see it through')))
    .option('--target <target>', 'what is rolled back, as a policy names it: NAMESPACE/NAME of a Deployment, command:NAME')
    .option('--queue <queue>', 'instead: what the policy of this queue names')
    .option('--revision <revision>', 'the release to blame; left out: the log is asked, and the levels of the queue hold')
    .requiredOption('--reason <text>', 'why; kept')
    .option('--dry-run', 'do nothing; tell what would be done')
    .addOption(new Option('--patience <duration>', 'how long to wait for a service that goes away').argParser(milliseconds).default(60_000, '1m'))
    .addOption(json())
    .addHelpText('after', AFTER_ROLLBACK)
    .action(async ({ patience, ...flags }: Omit<RollbackFlags, 'patienceMs'> & { patience: number }) =>
      ended(await (await import('./commands/rollback.js')).runRollback({ ...flags, patienceMs: patience }, context)),
    );
}
