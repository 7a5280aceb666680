import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The histories lie beside the checkout, not in it. */
const FOLDER = join(process.cwd(), '../shared/data');

export const historiesAreThere = (): boolean => existsSync(join(FOLDER, 'metacentrum-wagap-2013-jobs.csv'));

/** A run that really took place, and came to its end. */
export interface Run {
  readonly queue: string;
  /** Who submitted it: what comes nearest to a kind of job. */
  readonly kind: string;
  readonly submittedMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface History {
  /** In order of submission, without those that end before they start. */
  readonly runs: readonly Run[];
  readonly dirty: number;
}

const HOUR = 3_600_000;
/** The time in a queue's name, ms. */
const DECLARED: Readonly<Record<string, number>> = {
  q_2h: 2 * HOUR,
  q_4h: 4 * HOUR,
  q_1d: 24 * HOUR,
  q_2d: 48 * HOUR,
  q_4d: 96 * HOUR,
  q_1w: 168 * HOUR,
  q_2w: 336 * HOUR,
};

/** null: nothing is declared. */
export function declaredMs({ queue }: Run): number | null {
  return DECLARED[queue] ?? null;
}

/** MetaCentrum's cluster: 17,900 rows. */
export function clusterRuns(): History {
  return history(
    rows('metacentrum-wagap-2013-jobs.csv').map((row): Run => {
      const submittedMs = Number(row['submit_unix_s']) * 1_000;
      const startMs = submittedMs + Number(row['wait_s']) * 1_000;
      const endMs = startMs + Number(row['run_s']) * 1_000;
      return { queue: row['queue'] === '' ? 'q_none' : (row['queue'] ?? ''), kind: row['user'] ?? '', submittedMs, startMs, endMs };
    }),
  );
}

/** Alibaba's pods that ended, well or not: nothing is declared for any. */
export function podRuns(): History {
  const ended = rows('alibaba-gpu-2023-pods.csv').filter((row) => row['phase'] === 'Succeeded' || row['phase'] === 'Failed');
  return history(
    ended
      .filter((row) => row['scheduled_time_s'] !== '')
      .map((row): Run => {
        const [submittedMs, startMs, endMs] = ['creation_time_s', 'scheduled_time_s', 'deletion_time_s'].map((name) => Number(row[name]) * 1_000);
        return { queue: row['qos'] ?? '', kind: '', submittedMs: submittedMs ?? 0, startMs: startMs ?? 0, endMs: endMs ?? 0 };
      }),
  );
}

function history(all: readonly Run[]): History {
  const runs = all.filter(({ startMs, endMs }) => endMs >= startMs).sort((a, b) => a.submittedMs - b.submittedMs);
  return { runs, dirty: all.length - runs.length };
}

function rows(file: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.trim().split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}
