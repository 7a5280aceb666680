import type { LogEntry } from '../log/entry.js';
import type { Judge, Verdict } from './judge.js';

/** What was there from the start is no new release. */
const SETTLED_MS = 120_000;

/** What many on call go by: the release that came last did it. */
export const newestRevision: Judge = {
  name: 'newest revision is guilty',
  names: true,
  judge: ({ log, queues, beginMs }): Verdict => {
    let newest: string | null = null;
    const seen = new Set<string>();
    for (const { cloudEvent, laneMs } of log) {
      const revision = revisionOf(cloudEvent.data, queues);
      if (revision === null || seen.has(revision)) continue;
      seen.add(revision);
      if (laneMs > beginMs + SETTLED_MS) newest = revision;
    }
    return newest === null
      ? { cause: 'unknown', subject: null, action: 'escalate' }
      : { cause: 'bad_revision', subject: newest, action: 'rollback' };
  },
};

function revisionOf(data: Readonly<Record<string, unknown>>, queues: readonly string[]): string | null {
  const { worker, queue } = data as { worker?: { revision?: string }; queue?: string };
  return queue !== undefined && queues.includes(queue) ? (worker?.revision ?? null) : null;
}

const RECENT_MS = 300_000;
const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/40P01|55P03|DEADLOCK|deadlock|[Ll]ock|quorum/u, 'lock_contention'],
  [/53300|[Tt]oo many (?:clients|connections)|[Pp]ool|trying to connect/u, 'connection_exhaustion'],
  [/heap|[Mm]emory|allocat/u, 'memory'],
  [/\b(?:429|500|502|503|504)\b|ECONN|ETIMEDOUT|EAI_AGAIN|ENOTFOUND/u, 'downstream_outage'],
  [/[Ss]tale|version .* expected|token .* older/u, 'race'],
  [/TypeError|ReferenceError|AssertionError|E_CONFIG|42703|NoSuchMethod/u, 'bad_revision'],
  [/SyntaxError|DecodeError|22021/u, 'poison_job'],
  [/[Tt]imed? ?out|time limit|deadline/u, 'overload'],
];
const ACTION: Readonly<Record<string, string>> = { bad_revision: 'rollback', poison_job: 'dead-letter', unknown: 'escalate' };

/** What a table of codes says: the cause that most of the latest errors look like. */
export const errorCodeAlone: Judge = {
  name: 'error code alone',
  names: false,
  judge: ({ log, queues, askedMs }): Verdict => {
    const votes = new Map<string, number>();
    for (const entry of log) {
      const text = entry.laneMs < askedMs - RECENT_MS ? null : errorText(entry, queues);
      if (text === null) continue;
      const cause = BY_CODE.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
      votes.set(cause, (votes.get(cause) ?? 0) + 1);
    }
    const [cause] = [...votes].toSorted((a, b) => b[1] - a[1])[0] ?? ['unknown'];
    return { cause, subject: null, action: ACTION[cause] ?? 'throttle' };
  },
};

function errorText({ cloudEvent: { type, data } }: LogEntry, queues: readonly string[]): string | null {
  if (type !== 'jobwarden.job.failed.v1' || !queues.includes(String(data['queue']))) return null;
  const { class: name, message, code, responseStatus } = data['error'] as { class: string; message: string; code?: string; responseStatus?: number };
  return [code, responseStatus, name, message].filter((part) => part !== undefined).join(' ');
}
