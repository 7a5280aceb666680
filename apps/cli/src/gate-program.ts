import { Option, type Command } from 'commander';
import type { GateFlags } from './commands/gate.js';
import { AFTER_GATE } from './help-texts.js';
import { json, milliseconds, namespaced, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden gate` */
export function addGate(program: Command, context: Context, ended: Ended): void {
  namespaced(serviceOptions(program.command('gate').description('whether a canary may go on: for scripts that roll out')))
    .option('--queue <queue>', 'the queue whose workers are judged')
    .option('--target <target>', 'instead: all queues whose policy has this rollback.target')
    .option('--track <track>', 'the canary’s workers, as they report it (default: canary)')
    .option('--revision <revision>', 'instead: the canary’s workers are those of this release')
    .option('--baseline <revision>', 'with --revision: held against this release alone')
    .option('--since <instant>', 'when the rollout began: what an earlier canary did does not count')
    .addOption(new Option('--wait <duration>', 'look again for so long, until it is told').argParser(milliseconds).default(0, '0: one look'))
    .addOption(new Option('--every <duration>', 'how long between two looks; it counts in stretches of ten seconds').argParser(milliseconds).default(5_000, '5s'))
    .addOption(json())
    .addHelpText('after', AFTER_GATE)
    .action(async ({ wait, every, ...flags }: Omit<GateFlags, 'waitMs' | 'everyMs'> & { wait: number; every: number }) => ended(await (await import('./commands/gate.js')).runGate({ ...flags, waitMs: wait, everyMs: every }, context)));
}
