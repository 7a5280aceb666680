import { Option, type Command } from 'commander';
import { REVIEW_OUTCOMES } from '#libs/domain';
import type { PatternFlags, PatternsFlags, ReviewFlags } from './commands/dead-letter-patterns.js';
import type { ExportFlags } from './commands/dead-letter-export.js';
import type { FixtureFlags } from './commands/dead-letter-fixture.js';
import type { DeadLetterFlags, DeadLettersFlags } from './commands/dead-letters.js';
import type { JobCallFlags } from './commands/job-calls.js';
import type { PatchFlags } from './commands/patch.js';
import type { RedriveFlags } from './commands/redrive.js';
import { addErasePayload, oneJob } from './job-program.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { json, listOptions, namespaced, serviceOptions, wholeFrom } from './options.js';
import type { Ended } from './program.js';
import type { Context } from './terminal/terminal.js';

/** `jobwarden dead-letters …` */
export function addDeadLetters(program: Command, context: Context, ended: Ended): void {
  const deadLetters = program.command('dead-letters').description('jobs that failed for good');
  listOptions(deadLetters.command('list', { isDefault: true }).description('list them, newest first'))
    .option('--queue <queue>', 'only this queue')
    .action(async (flags: DeadLettersFlags) =>
      ended(await (await import('./commands/dead-letters.js')).runDeadLetters(flags, context)),
    );
  namespaced(serviceOptions(deadLetters.command('show').description('one of them with the chain of its attempts')))
    .argument('<queue>', 'its queue')
    .argument('<id>', 'its job id')
    .addOption(json())
    .action(async (queue: string, id: string, flags: DeadLetterFlags) =>
      ended(await (await import('./commands/dead-letters.js')).runDeadLetter(queue, id, flags, context)),
    );
  addPatterns(deadLetters, context, ended);
  addRedrive(deadLetters, context, ended);
  addPatch(deadLetters, context, ended);
  addExport(deadLetters, context, ended);
  const byHand = async () => await import('./commands/job-calls.js');
  oneJob(deadLetters.command('resolve').description('declare one of them done: its work was done elsewhere')).action(async (queue: string, id: string, flags: JobCallFlags) =>
    ended(await (await byHand()).runJobCall('resolve', queue, id, flags, context)),
  );
  oneJob(deadLetters.command('discard').description('give one of them up')).action(async (queue: string, id: string, flags: JobCallFlags) =>
    ended(await (await byHand()).runJobCall('discard', queue, id, flags, context)),
  );
  addErasePayload(deadLetters, context, ended);
}

function addPatterns(deadLetters: Command, context: Context, ended: Ended): void {
  const patterns = async () => await import('./commands/dead-letter-patterns.js');
  const most = () => new Option('--limit <n>', 'how many at most').argParser(wholeFrom(1)).default(100);
  namespaced(serviceOptions(deadLetters.command('patterns').description('them by what they died of, most arrivals first')))
    .option('--queue <queue>', 'only this queue')
    .addOption(new Option('--since <duration>', 'what counts as arrived, in whole hours, such as 24h or 7d; review: since the last one').default('24h'))
    .addOption(most())
    .option('--all', 'all of them')
    .addOption(json())
    .action(async (flags: PatternsFlags) => ended(await (await patterns()).runPatterns(flags, context)));
  serviceOptions(deadLetters.command('pattern').description('one pattern: when it came, from which releases and workers'))
    .argument('<id>', 'its id, as `patterns` shows it')
    .addOption(new Option('--review <outcome>', 'say what is known of it').choices(REVIEW_OUTCOMES))
    .option('--reason <text>', 'why; needed with --review')
    .addOption(json())
    .action(async (id: string, flags: PatternFlags) => ended(await (await patterns()).runPattern(id, flags, context)));
  namespaced(serviceOptions(deadLetters.command('review').description('what arrived since the last review; with --reason: they have been looked through')))
    .option('--queue <queue>', 'only this queue')
    .option('--reason <text>', 'what was found; kept')
    .addOption(most())
    .option('--all', 'all of them')
    .addOption(json())
    .action(async (flags: ReviewFlags) => ended(await (await patterns()).runReview(flags, context)));
}

function addRedrive(deadLetters: Command, context: Context, ended: Ended): void {
  namespaced(serviceOptions(deadLetters.command('redrive').description('send one of them round again, or many at a rate; without --count these are only counted')))
    .argument('<queue>', 'their queue')
    .argument('[id]', 'only this job; the other filters, --count and --rate are of many')
    .option('--pattern <id>', 'only those whose newest death is of this pattern')
    .option('--kind <kind>', 'only jobs of this kind')
    .option('--died-of <reason>', 'only with this reason, such as failed or lost')
    .addOption(new Option('--count <n>', 'how many you have seen; refused when there are others by now').argParser(wholeFrom(1)))
    .addOption(new Option('--rate <n>', 'so many a second').argParser(wholeFrom(1, 1_000)).default(50))
    .option('--force', 'beyond maxRedrives too')
    .option('--reason <text>', 'why; kept with each decision; needed to send them')
    .option('--detach', 'do not wait until it is done: it goes on by itself')
    .addOption(json())
    .action(async (queue: string, id: string | undefined, flags: RedriveFlags) => ended(await redriven(queue, id, flags, context)));
}

function addExport(deadLetters: Command, context: Context, ended: Ended): void {
  namespaced(serviceOptions(deadLetters.command('export').description('all of them, a line of JSON each')))
    .option('--queue <queue>', 'only this queue')
    .option('--output <file>', 'write into this file, which has its name once it is whole')
    .action(async (flags: ExportFlags) => ended(await (await import('./commands/dead-letter-export.js')).runExport(flags, context)));
  namespaced(serviceOptions(deadLetters.command('fixture').description('one of them, redacted, as fixture.json with a test for node --test')))
    .argument('<queue>', 'its queue')
    .argument('<id>', 'its job id')
    .requiredOption('--output <folder>', 'where both files are written')
    .option('--handler <file>', 'the module whose function the test calls')
    .addOption(new Option('--attempt <n>', 'whose failure; left out: the first that said why it ended').argParser(wholeFrom(1)))
    .option('--force', 'also over files that are there')
    .action(async (queue: string, id: string, flags: FixtureFlags) =>
      ended(await (await import('./commands/dead-letter-fixture.js')).runFixture(queue, id, flags, context)),
    );
}

function addPatch(deadLetters: Command, context: Context, ended: Ended): void {
  namespaced(serviceOptions(deadLetters.command('patch').description('change the payload of one of them by a JSON Patch and send it round again; without --result the change is only shown')))
    .argument('<queue>', 'its queue')
    .argument('<id>', 'its job id')
    .requiredOption('--patch <file>', 'a JSON Patch (RFC 6902); - is standard input')
    .option('--preview', 'only show the change, also with --result')
    .option('--result <hash>', 'the result you have seen; refused when it would be another by now')
    .option('--force', 'beyond maxRedrives too')
    .option('--reason <text>', 'why; kept with the decisions; needed with --result')
    .addOption(json())
    .action(async (queue: string, id: string, flags: PatchFlags) => ended(await (await import('./commands/patch.js')).runPatch(queue, id, flags, context)));
}

async function redriven(queue: string, id: string | undefined, flags: RedriveFlags, context: Context): Promise<ExitCode> {
  if (id === undefined) return await (await import('./commands/redrive.js')).runRedrive(queue, flags, context);
  const of = (['pattern', 'kind', 'diedOf', 'count'] as const).find((name) => flags[name] !== undefined);
  const { reason } = flags;
  if (of === undefined && reason !== undefined) return await (await import('./commands/job-calls.js')).runJobCall('redrive', queue, id, { ...flags, reason }, context);
  if (of === undefined) {
    context.terminal.err('--reason is missing: say why it is sent round again; it is kept with the decision.');
    return EXIT.refused;
  }
  context.terminal.err(`--${of === 'diedOf' ? 'died-of' : of} is for many: leave it out, or the job's id`);
  return EXIT.refused;
}
