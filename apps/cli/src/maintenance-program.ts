import type { Command } from 'commander';
import type { MaintenanceFlags, MaintenanceStartFlags } from './commands/maintenance.js';
import { json, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden maintenance …` */
export function addMaintenance(program: Command, context: Context, ended: Ended): void {
  const maintenance = program.command('maintenance').description('times in which signals of saturated queues lead to nothing');
  const load = async () => await import('./commands/maintenance.js');
  serviceOptions(maintenance.command('list', { isDefault: true }).description('list them, newest first'))
    .option('--namespace <namespace>', 'only those of this namespace')
    .addOption(json())
    .action(async (flags: MaintenanceFlags) => ended(await (await load()).runMaintenanceList(flags, context)));
  serviceOptions(maintenance.command('start').description('start one, of a queue, a namespace, a target, or everywhere'))
    .option('--namespace <namespace>', 'of all its queues, or of the one that is named')
    .option('--queue <queue>', 'of this queue; of the default namespace unless one is named')
    .option('--target <target>', 'of the queues whose policy names this rollback.target')
    .option('--everywhere', 'of the whole installation')
    .requiredOption('--for <duration>', 'how long, such as 2h; 7d at most')
    .option('--from <instant>', 'from then on, such as 2026-01-31T10:00:00Z; left out: from now on')
    .requiredOption('--reason <text>', 'why; kept')
    .addOption(json())
    .action(async (flags: MaintenanceStartFlags) => ended(await (await load()).runMaintenanceStart(flags, context)));
  serviceOptions(maintenance.command('end').description('end one: what still fires is open again'))
    .argument('<id>', 'its id, as `list` shows it')
    .addOption(json())
    .action(async (id: string, flags: MaintenanceFlags) => ended(await (await load()).runMaintenanceEnd(id, flags, context)));
}
