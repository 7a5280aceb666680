import {
  Audit,
  MAX_FINDINGS,
  type AuditOptions,
  type AuditProgress,
  type AuditReport,
  type Finding,
} from '#libs/application';
import { DEFAULT_NAMESPACE } from '#libs/domain';
import { PgAuditStore } from '#libs/postgres';
import { withDatabase } from '../database/database-command.js';
import { onInstalled } from '../database/installed.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Progress } from '../terminal/progress.js';
import { figure, printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface AuditFlags {
  readonly sample?: number;
  readonly queue?: string;
  readonly id?: string;
  readonly namespace?: string;
  readonly repair?: boolean;
  readonly json?: boolean;
}

export async function runAudit(flags: AuditFlags, context: Context): Promise<ExitCode> {
  const { terminal, signal } = context;
  const read = scopeOf(flags);
  if ('fault' in read) {
    terminal.err(read.fault);
    return EXIT.refused;
  }
  const { scope } = read;
  return await withDatabase(context, { create: false }, async (address) => {
    const progress = new Progress(terminal, flags.json === true);
    const report = await onInstalled(address, async (database, { shards }) => {
      const audit = new Audit(new PgAuditStore(database, shards));
      return await audit.run({
        scope,
        repair: flags.repair === true,
        signal,
        onProgress: (p) => progress.update(p.share, progressText(p)),
      });
    });
    progress.done();
    if (flags.json === true) terminal.out(JSON.stringify({ ...report, stopped: signal.aborted }));
    else show(report, context);
    return report.differences === 0 && !signal.aborted ? EXIT.fine : EXIT.differences;
  });
}

type Scope = { readonly scope: AuditOptions['scope'] } | { readonly fault: string };

function scopeOf({ sample, queue, id, namespace = DEFAULT_NAMESPACE }: AuditFlags): Scope {
  if ((queue === undefined) !== (id === undefined)) return { fault: 'Give both --queue and --id to audit one job.' };
  if (queue === undefined || id === undefined) return { scope: sample === undefined ? 'all' : { sample } };
  if (sample !== undefined) return { fault: 'Give --sample, or --queue and --id, not both.' };
  return { scope: { job: { namespace, queue, id } } };
}

export function progressText({ phase, rows, found }: AuditProgress): string {
  return `${phase}: ${figure(rows)} rows, ${figure(found)} found`;
}

function show(report: AuditReport, { terminal, signal }: Context): void {
  for (const finding of report.findings) terminal.out(sentence(finding));
  if (report.differences > report.findings.length)
    terminal.out(`… and ${figure(report.differences - MAX_FINDINGS)} more.`);
  const and = report.checked.length === 0 ? '' : `, ${report.checked.join(' and ')}`;
  terminal.out(`Compared ${figure(report.rows)} rows with ${figure(report.events)} events of the log${and}.`);
  if (report.outdated > 0) {
    terminal.out(`${figure(report.outdated)} rows of an older fold version than the one in force, ${figure(report.refolded)} of them moved to it.`);
  }
  const repaired =
    report.drifted === 0
      ? ''
      : ` ${figure(report.drifted)} rows had drifted, ${figure(report.repaired)} of them are repaired.`;
  terminal.out(report.differences === 0 ? 'No differences.' : `${figure(report.differences)} differences.${repaired}`);
  if (signal.aborted) terminal.out('Stopped before the end.');
}

function sentence(finding: Finding): string {
  const done = 'repaired' in finding && finding.repaired ? ' (repaired)' : '';
  switch (finding.kind) {
    case 'row':
      return `row ${nameOf(finding.ref)} differs from its fold in ${finding.fields.join(', ')}${done}`;
    case 'orphan':
      return `log entries of job key ${finding.keyHex} have no row`;
    case 'unlogged':
      return `row ${nameOf(finding.ref)} has no entry in the log`;
    case 'newer':
      return `row ${nameOf(finding.ref)} was written by a newer program`;
    case 'counter': {
      const { namespace, queue, shard, counter, stored, expected } = finding;
      return `counter ${counter} of ${printable(`${namespace}/${queue}`)}, shard ${shard}: ${stored}, expected ${expected}${done}`;
    }
    case 'positions': {
      const { shard, counter, entries, duplicates, beyond, missing } = finding;
      return `shard ${shard}: counter ${counter}, ${entries} entries, ${duplicates} numbers twice, ${beyond} beyond the counter, ${missing ?? 'unknown'} missing`;
    }
  }
}

function nameOf({ namespace, queue, id }: { namespace: string; queue: string; id: string }): string {
  return printable(`${namespace}/${queue}/${id}`);
}
