import { Option, type Command } from 'commander';
import type { DrillFlags } from './commands/drill.js';
import { AFTER_DRILL } from './help-texts.js';
import { json, milliseconds, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden drill` */
export function addDrill(program: Command, context: Context, ended: Ended): void {
  serviceOptions(program.command('drill').description('send a stuck job and an alert through every link up to the pager, and tell which links work'))
    .addOption(new Option('--timeout <duration>', 'how long to wait for all links together').argParser(milliseconds).default(30_000, '30s'))
    .addOption(json())
    .addHelpText('after', AFTER_DRILL)
    .action(async ({ timeout, ...flags }: Omit<DrillFlags, 'timeoutMs'> & { timeout: number }) => ended(await (await import('./commands/drill.js')).runDrill({ ...flags, timeoutMs: timeout }, context)));
}
