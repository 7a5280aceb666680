import { Option, type Command } from 'commander';
import type { DrillFlags } from './commands/drill.js';
import { AFTER_DRILL } from './help-texts.js';
import { json, milliseconds, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden drill` */
export function addDrill(program: Command, context: Context, ended: Ended): void {
  serviceOptions(program.command('drill').description('send a stuck job and an alert through every link up to the pager, and tell which links work'))
    .option('--prometheus <url>', 'also ask this Prometheus whether it scrapes, has the shipped alerts and somebody to tell')
    .option('--prometheus-token-env <variable>', 'the variable that holds a bearer token for it')
    .option('--alertmanager <url>', 'send the alert by this Alertmanager, as a real one would come')
    .option('--alertmanager-token-env <variable>', 'the variable that holds a bearer token for it')
    .option('--stuck-notice', 'also wait for the notice of what is stuck, about a minute')
    .addOption(new Option('--timeout <duration>', 'how long to wait for all links together (default: 30s; 2m with --alertmanager or --stuck-notice)').argParser(milliseconds))
    .addOption(json())
    .addHelpText('after', AFTER_DRILL)
    .action(async ({ timeout, ...flags }: Omit<DrillFlags, 'timeoutMs'> & { timeout?: number }) => ended(await (await import('./commands/drill.js')).runDrill({ ...flags, timeoutMs: timeout }, context)));
}
