import { Option, type Command } from 'commander';
import { JOB_STATUSES } from '#libs/domain';
import type { JobCallFlags } from './commands/job-calls.js';
import type { JobsFlags } from './commands/jobs.js';
import { json, listOptions, namespaced, serviceOptions } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden jobs …` */
export function addJobs(program: Command, context: Context, ended: Ended): void {
  const jobs = program.command('jobs').description('jobs of a running service');
  listOptions(jobs.command('list', { isDefault: true }).description('list them'))
    .option('--queue <queue>', 'only this queue')
    .addOption(new Option('--status <status>', 'only this status').choices(JOB_STATUSES))
    .option('--id <id>', 'only this job id')
    .option('--kind <kind>', 'only this kind')
    .option('--worker <id>', 'only what this worker runs')
    .option('--since <instant>', 'only jobs whose status holds since then, such as 2026-01-31T10:00:00Z')
    .action(async (flags: JobsFlags) => ended(await (await import('./commands/jobs.js')).runJobs(flags, context)));
  addErasePayload(jobs, context, ended);
}

/** Of any job, so it stands below both. */
export function addErasePayload(parent: Command, context: Context, ended: Ended): void {
  oneJob(parent.command('erase-payload').description('erase what was told of a job besides the log: payload, snapshots, stacks, progress; for good')).action(
    async (queue: string, id: string, flags: JobCallFlags) =>
      ended(await (await import('./commands/job-calls.js')).runErasePayload(queue, id, flags, context)),
  );
}

/** A command on one job, with a reason. */
export function oneJob(command: Command): Command {
  return namespaced(serviceOptions(command))
    .argument('<queue>', 'its queue')
    .argument('<id>', 'its job id')
    .requiredOption('--reason <text>', 'why; kept with the decision')
    .addOption(json());
}
