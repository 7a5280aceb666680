import { Command, Option } from 'commander';
import { MENDS, PRESET_NAMES } from '#libs/application';
import type { AuditFlags } from './commands/audit.js';
import type { CompareFlags } from './commands/compare.js';
import type { FoldVersionFlags } from './commands/fold-version.js';
import type { MigrateFlags } from './commands/migrate.js';
import type { PoliciesCheckFlags } from './commands/policies-check.js';
import type { RecoverFlags } from './commands/recover.js';
import type { RebuildFlags } from './commands/rebuild.js';
import type { ReplayFlags } from './commands/replay.js';
import type { ServeFlags } from './commands/serve.js';
import type { ShadowReportFlags } from './commands/shadow-report.js';
import { addDeadLetters } from './dead-letter-program.js';
import type { ExitCode } from './exit-codes.js';
import { LIST_FORMATS } from './compare/list-lines.js';
import { AFTER_ALL, AFTER_AUDIT, AFTER_COMPARE, AFTER_FOLD_VERSION, AFTER_MIGRATE, AFTER_REBUILD, AFTER_RECOVER, AFTER_REPLAY, AFTER_SERVE, AFTER_SHADOW_REPORT } from './help-texts.js';
import { addDrill } from './drill-program.js';
import { addObserve } from './observe/program.js';
import { addJobs } from './job-program.js';
import { json, milliseconds, namespaced, repeated, serviceOptions, wholeFrom } from './options.js';
import { HISTORY_FORMATS } from './replay/history.js';
import type { Context } from './terminal/terminal.js';
import type { PostmortemFlags } from './commands/postmortem.js';
import { addMaintenance } from './maintenance-program.js';
import { addRevisions } from './revision-program.js';
import { addGate } from './gate-program.js';
import { addRollback } from './rollback-program.js';
import { version } from './version.js';

/** Called with what the chosen command ends with. */
export type Ended = (exit: ExitCode) => void;

/**
 * Every command of `jobwarden`: parsing, help and reference page are all made from this. A command is loaded when it is
 * called: those that only talk to a service need not wait for what talks to a database.
 */
export function buildProgram(context: Context, ended: Ended): Command {
  const program = new Command('jobwarden')
    .description('Keeps the truth about background jobs: commands on its database and on a running service.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .addHelpText('after', AFTER_ALL)
    .configureHelp({ helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => context.terminal.out(text.trimEnd()),
      writeErr: (text) => context.terminal.err(text.trimEnd()),
    })
    .exitOverride();
  program
    .command('serve')
    .description('serve, until it is ended (Ctrl-C)')
    .option('--demo', 'with a shop that breaks, to follow in the dashboard')
    .addHelpText('after', AFTER_SERVE)
    .action(async (flags: ServeFlags) => ended(await (await import('./commands/serve.js')).runServe(flags, context)));
  addDatabaseCommands(program, context, ended);
  addFoldVersion(program, context, ended);
  addRecover(program, context, ended);
  addServiceCommands(program, context, ended);
  addObserve(program, context, ended);
  program
    .command('policies')
    .description('policy files')
    .command('check')
    .description('check a policy file as a whole: every fault with its line')
    .argument('<file>', 'a policy file (YAML)')
    .addOption(json())
    .action(async (file: string, flags: PoliciesCheckFlags) =>
      ended(await (await import('./commands/policies-check.js')).runPoliciesCheck(file, flags, context)),
    );
  return program;
}

function addDatabaseCommands(program: Command, context: Context, ended: Ended): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to date')
    .addOption(new Option('--down', 'take the newest migration back').conflicts(['to', 'clock']))
    .addOption(new Option('--to <n>', 'have exactly the first <n> migrations in force').argParser(wholeFrom(0)))
    .addOption(
      new Option('--clock <mode>', 'of a new database: where lane time comes from').choices(['real', 'manual']),
    )
    .option('--force', 'take back also where jobs are lost with it')
    .addOption(new Option('--dry-run', 'change nothing; tell what would run').conflicts(['down', 'to', 'clock', 'force']))
    .addOption(
      new Option('--wait <duration>', 'how long to wait for another process that migrates, and for locks of others')
        .argParser(milliseconds)
        .default(600_000, '10m'),
    )
    .addOption(json())
    .addHelpText('after', AFTER_MIGRATE)
    .action(async ({ wait, ...flags }: Omit<MigrateFlags, 'waitMs'> & { wait: number }) =>
      ended(await (await import('./commands/migrate.js')).runMigrate({ ...flags, waitMs: wait }, context)),
    );
  program
    .command('audit')
    .description('compare the projection with the log')
    .addOption(new Option('--sample <n>', 'only <n> rows at random, and no counters').argParser(wholeFrom(1)))
    .option('--queue <queue>', 'only one job, of this queue …')
    .option('--id <id>', '… with this id')
    .option('--namespace <namespace>', '… in this namespace')
    .option('--repair', 'rewrite what differs from the log')
    .addOption(json())
    .addHelpText('after', AFTER_AUDIT)
    .action(async (flags: AuditFlags) => ended(await (await import('./commands/audit.js')).runAudit(flags, context)));
  program
    .command('rebuild')
    .description('fold the whole log again')
    .addOption(json())
    .addHelpText('after', AFTER_REBUILD)
    .action(async (flags: RebuildFlags) =>
      ended(await (await import('./commands/rebuild.js')).runRebuild(flags, context)),
    );
}

function addFoldVersion(program: Command, context: Context, ended: Ended): void {
  program
    .command('fold-version')
    .description('which form rows are stored in, and who can write which')
    .addOption(new Option('--switch <n>', 'store rows in this version from now on').argParser(wholeFrom(1, 32_767)))
    .addOption(json())
    .addHelpText('after', AFTER_FOLD_VERSION)
    .action(async (flags: FoldVersionFlags) =>
      ended(await (await import('./commands/fold-version.js')).runFoldVersion(flags, context)),
    );
}

function addRecover(program: Command, context: Context, ended: Ended): void {
  program
    .command('recover')
    .description('take a restored database back into service: tokens rise, leases run again in full')
    .addOption(
      new Option('--observe <duration>', 'decide and send nothing for so long; at least the longest lease')
        .argParser(milliseconds)
        .default(60_000, '1m'),
    )
    .addOption(
      new Option('--rewind <lane=offset>', 'go back to this offset of a lane, or to its earliest; may be repeated')
        .argParser(repeated)
        .default([], 'none'),
    )
    .option('--force', 'also where nothing shows a restore, such as on a copied data folder')
    .option('--dry-run', 'change nothing; tell what shows the restore, and what would be done')
    .addOption(json())
    .addHelpText('after', AFTER_RECOVER)
    .action(async ({ observe, ...flags }: Omit<RecoverFlags, 'observeMs'> & { observe: number }) =>
      ended(await (await import('./commands/recover.js')).runRecover({ ...flags, observeMs: observe }, context)),
    );
}

function addServiceCommands(program: Command, context: Context, ended: Ended): void {
  addJobs(program, context, ended);
  addDeadLetters(program, context, ended);
  addRevisions(program, context, ended);
  addRollback(program, context, ended);
  addGate(program, context, ended);
  addDrill(program, context, ended);
  serviceOptions(program.command('postmortem').description('what happened in an incident, and what is still to be answered'))
    .argument('<incident>', 'its id')
    .addOption(new Option('--format <format>', 'as what it is printed').choices(['markdown', 'json']).default('markdown'))
    .action(async (incident: string, flags: PostmortemFlags) => ended(await (await import('./commands/postmortem.js')).runPostmortem(incident, flags, context)));
  addMaintenance(program, context, ended);
  addCompare(program, context, ended);
  namespaced(serviceOptions(program.command('shadow-report').description('whether the verdicts of a service were right, and the level that they speak for')))
    .addOption(new Option('--since <duration>', 'how far back').default('24h'))
    .option('--queue <queue>', 'only this queue')
    .addOption(json())
    .addHelpText('after', AFTER_SHADOW_REPORT)
    .action(async (flags: ShadowReportFlags) =>
      ended(await (await import('./commands/shadow-report.js')).runShadowReport(flags, context)),
    );
  serviceOptions(program.command('replay').description('send a history of jobs to a running service, as events'))
    .argument('<file>', 'the history')
    .addOption(new Option('--format <format>', 'of the history').choices(HISTORY_FORMATS).makeOptionMandatory())
    .addOption(
      new Option('--map <mapping>', 'key=value, or a JSON file; may be repeated')
        .argParser(repeated)
        .default([], 'none'),
    )
    .option('--dry-run', 'send nothing; tell what would be sent')
    .addOption(new Option('--batch <n>', 'events in a request').argParser(wholeFrom(1, 1_000)).default(500))
    .addOption(
      new Option(
        '--drive-clock <step>',
        'set the service’s manual clock as the history goes, in steps of this length',
      ).argParser(milliseconds),
    )
    .addOption(
      new Option('--patience <duration>', 'how long to wait for a service that goes away')
        .argParser(milliseconds)
        .default(30_000, '30s'),
    )
    .addOption(json())
    .addHelpText('after', AFTER_REPLAY)
    .action(
      async (
        file: string,
        { driveClock, patience, ...flags }: ReplayFlags & { driveClock?: number; patience: number },
      ) =>
        ended(
          await (
            await import('./commands/replay.js')
          ).runReplay(
            file,
            { ...flags, patienceMs: patience, ...(driveClock !== undefined && { driveClockMs: driveClock }) },
            context,
          ),
        ),
    );
}

function addCompare(program: Command, context: Context, ended: Ended): void {
  const command = program.command('compare').description('compare a list of jobs, as somebody else knows them, with what is known here');
  namespaced(serviceOptions(command))
    .argument('<file>', 'the list; - is standard input')
    .addOption(new Option('--format <format>', 'of the list (default: by its name, csv for .csv, else ndjson)').choices(LIST_FORMATS))
    .option('--queue <queue>', 'of lines that name none')
    .option('--complete', 'the list names all of --queue that is not finished: tell what it does not name')
    .option('--map <words>', 'what their words mean, such as active:processing,completed:succeeded')
    .addOption(new Option('--preset <name>', 'their words are those of this queue').choices(PRESET_NAMES))
    .option('--as-of <instant>', 'when the list was made: what changed since is no difference')
    .addOption(new Option('--mend <mend>', 'what to do about it').choices(MENDS))
    .option('--reason <text>', 'why; needed with --mend')
    .addOption(json())
    .addHelpText('after', AFTER_COMPARE)
    .action(async (file: string, flags: CompareFlags) =>
      ended(await (await import('./commands/compare.js')).runCompare(file, flags, context)),
    );
}
