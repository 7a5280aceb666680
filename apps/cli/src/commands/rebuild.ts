import { LearnedThresholds, Rebuild, withLearned, type PolicySource, type RebuildOutcome } from '#libs/application';
import { formatFaults, type Environment } from '#libs/config';
import { PgAuditStore, PgLearnedStore, PgLogStore, QueueIds } from '#libs/postgres';
import { withDatabase } from '../database/database-command.js';
import { onInstalled } from '../database/installed.js';
import { policiesOf, readPolicyFile } from '../database/policies.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Progress } from '../terminal/progress.js';
import { figure } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';
import { progressText } from './audit.js';

export interface RebuildFlags {
  readonly json?: boolean;
}

export async function runRebuild({ json = false }: RebuildFlags, context: Context): Promise<ExitCode> {
  const { terminal, signal } = context;
  return await withDatabase(context, { create: false }, async (address) => {
    const policies = await policiesIn(address.environment);
    if (typeof policies === 'string') {
      terminal.err(policies);
      return EXIT.refused;
    }
    const progress = new Progress(terminal, json);
    const outcome = await onInstalled(address, async (database, { shards }) => {
      const log = new PgLogStore(database, new QueueIds(database), { shards });
      const learned = new LearnedThresholds(new PgLearnedStore(database), { reschedule: () => Promise.resolve() });
      const schedules = policies === null ? null : { log, policies: withLearned(policies, learned), learn: () => learned.refresh() };
      const rebuild = new Rebuild(new PgAuditStore(database, shards), schedules);
      return await rebuild.run({ signal, onProgress: (p) => progress.update(p.share, progressText(p)) });
    });
    progress.done();
    if (json) terminal.out(JSON.stringify({ ...outcome, stopped: signal.aborted }));
    return shown(outcome, json, context);
  });
}

/** null: no policy file is named. A string: one is, and it is no good. */
async function policiesIn({ configFile }: Environment): Promise<PolicySource | null | string> {
  if (configFile === null) return null;
  const file = await readPolicyFile(configFile);
  if (typeof file === 'string') return file;
  return file.ok ? policiesOf(file.value) : formatFaults(file.faults);
}

function shown(outcome: RebuildOutcome, json: boolean, { terminal, signal }: Context): ExitCode {
  if (outcome.kind === 'refused') {
    terminal.err(`Refused (${outcome.code}): ${outcome.detail}.`);
    return EXIT.refused;
  }
  if (!json) {
    const { rewritten, corrected, rescheduled } = outcome;
    terminal.out(`Rewrote ${figure(rewritten)} rows, corrected ${figure(corrected)} counters.`);
    terminal.out(
      rescheduled === null
        ? 'No policy file is named in JOBWARDEN_CONFIG: the service plans rewritten jobs anew by its own.'
        : `Moved ${figure(rescheduled)} looks to what the policy file says.`,
    );
    if (signal.aborted) terminal.out('Stopped before the end: run it again.');
  }
  return signal.aborted ? EXIT.differences : EXIT.fine;
}
