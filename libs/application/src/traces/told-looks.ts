import type { Traces } from '../ports/traces.port.js';
import type { ReconciliationRun } from '../ports/reconciliation-store.port.js';
import { jobTrace } from '../publish/job-trace.js';
import type { Look } from '../reconcile/look.js';
import { batchAttributes } from './attributes.js';
import { linksTo } from './links.js';

/** A round of looks at what was due, linked to the traces of the jobs. One that has looked at nothing that is traced is none. */
export function tellLooks(traces: Traces, looks: readonly Look[], run: ReconciliationRun, since: number): void {
  const links = linksTo(looks.map(({ write }) => jobTrace(write.job.state)));
  if (links.length === 0) return;
  const { trigger, looked, decided, wouldHave, held } = run;
  const attributes = {
    ...batchAttributes(looks.map(({ write }) => write.job.ref)),
    ...{ 'jobwarden.trigger': trigger, 'jobwarden.looked': looked, 'jobwarden.decided': decided },
    ...{ 'jobwarden.would_have': wouldHave, 'jobwarden.held': held },
  };
  traces.tell({ name: 'look', kind: 'internal', parent: null, links, attributes }, since);
}
