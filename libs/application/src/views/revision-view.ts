import type { RefusalView, RevisionView } from '#libs/contracts';
import type { RefusedRevision, SeenRevision } from '../ports/refused-revision-store.port.js';
import type { RevisionRecord } from '../revisions/revision-record.js';
import { iso } from './time.js';

export interface RevisionsSeen {
  readonly seen: readonly SeenRevision[];
  readonly records: readonly RevisionRecord[];
  readonly standing: readonly RefusedRevision[];
}

/** What is at work, what was, each with what stands against it, and what is refused although nobody runs it. */
export function revisionViews(namespace: string, { seen, records, standing }: RevisionsSeen): RevisionView[] {
  const view = (of: Pick<RevisionView, 'queue' | 'revision' | 'workers' | 'running' | 'lastBeatAt'>): RevisionView => {
    const refusal = standing.find((s) => s.revision === of.revision && (s.queue === null || s.queue === of.queue));
    const record = records.find((r) => r.revision === of.revision && r.queue === of.queue);
    return { namespace, ...of, record: record === undefined ? null : recordView(record), refused: refusal === undefined ? null : refusalView(refusal) };
  };
  const nobody = { workers: 0, running: 0, lastBeatAt: null };
  const views = seen.map(({ queue, revision, workers, running, lastMs }) => view({ queue, revision, workers, running, lastBeatAt: iso(lastMs) }));
  const was = records.filter(({ queue, revision }) => !seen.some((s) => s.revision === revision && s.queue === queue));
  views.push(...was.map(({ queue, revision }) => view({ queue, revision, ...nobody })));
  const known = (refusal: RefusedRevision) => views.some((v) => v.revision === refusal.revision && (refusal.queue === null || v.queue === refusal.queue));
  return [...views, ...standing.filter((refusal) => !known(refusal)).map(({ queue, revision }) => view({ queue, revision, ...nobody }))];
}

function recordView({ started, succeeded, failed, lost, firstMs, lastMs }: RevisionRecord): NonNullable<RevisionView['record']> {
  return { started, succeeded, failed, lost, since: iso(firstMs), until: iso(lastMs) };
}

export function refusalView({ id, namespace, queue, revision, reason, by, incidentId, setMs, lifted }: RefusedRevision): RefusalView {
  return {
    ...{ id, namespace, queue, revision, reason, by, at: iso(setMs) },
    ...(incidentId !== null && { incident: incidentId }),
    lifted: lifted === null ? null : { at: iso(lifted.ms), by: lifted.by, reason: lifted.reason },
  };
}
