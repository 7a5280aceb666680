import type { ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';
import { cell, runList, type ListFlags } from './lists.js';

export interface JobsFlags extends ListFlags {
  readonly namespace?: string;
  readonly queue?: string;
  readonly status?: string;
  readonly id?: string;
  readonly kind?: string;
  readonly worker?: string;
  readonly since?: string;
}

const COLUMNS = ['status', 'attempt', 'waitsFor', 'since', 'queue', 'id'] as const;

export async function runJobs(flags: JobsFlags, context: Context): Promise<ExitCode> {
  const { namespace, queue, status, id, kind, worker, since } = flags;
  return await runList(
    {
      path: 'v1/jobs',
      query: { namespace, queue, status, id, kind, worker, since },
      head: ['STATUS', 'ATTEMPT', 'WAITS FOR', 'SINCE', 'QUEUE', 'ID'],
      row: (job) => COLUMNS.map((name) => cell(job[name])),
      noun: 'jobs',
    },
    flags,
    context,
  );
}
