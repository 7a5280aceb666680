import type { JobWrite } from '#libs/application';
import { storedText } from '#libs/domain';
import { CopyBuffer } from './copy-buffer.js';

/**
 * Rows of new jobs, as they stand after the fold. A row that is there by now was made by another writer meanwhile, and
 * its key is then refused: the batch is repeated.
 */
export const COPY_JOBS = `
COPY jobwarden.jobs (job_key, shard, queue_id, period, job_id, kind, status, attempt, n, waits_for, since_ms, look_at_ms,
                     worker, open_verdicts, state, row_version, fold_version) FROM STDIN (FORMAT binary)`;
const COLUMNS = 17;

/** Of one row: everything but the bytes of texts. */
const ROW_BYTES = 160;

export function jobRows(writes: readonly JobWrite[]): Buffer {
  const rows = new CopyBuffer();
  for (const write of writes) {
    const { job, view, waitsFor, lookAtMs, worker } = write;
    const kind = job.state.queued?.kind ?? null;
    const state = storedText(job.state, job.foldVersion);
    const texts = job.ref.id.length + (kind?.length ?? 0) + (worker?.length ?? 0) + state.length;
    rows.row(COLUMNS, ROW_BYTES + 3 * texts);
    rows.key(job.keyHex);
    rows.int2(job.shard);
    rows.int4(job.queueId);
    rows.int4(job.period);
    rows.text(job.ref.id);
    rows.text(kind);
    rows.text(view.status);
    rows.int4(view.attempt);
    rows.int4(view.n);
    rows.text(waitsFor);
    rows.int8(view.sinceMs);
    rows.int8(lookAtMs);
    rows.text(worker);
    rows.int2(write.verdictMarks ?? 0);
    rows.text(state);
    rows.int4(1);
    rows.int2(job.foldVersion);
  }
  return rows.finished();
}
