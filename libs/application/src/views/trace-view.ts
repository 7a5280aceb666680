import { readTrace, type IncompleteTrace, type TraceContext } from '#libs/contracts';
import { stateFromJson, visibilityGaps, type JobState } from '#libs/domain';
import type { IncompleteRow } from '../ports/trace-reads.port.js';
import { jobTrace } from '../publish/job-trace.js';
import { iso, isoOrNull } from './time.js';

/** The policy file's `traces.url` for one trace; undefined: it has none. */
export function traceUrl(template: string | null, traceId: string): string | undefined {
  return template?.replaceAll('{traceId}', traceId);
}

/** Of a job: what it is traced as; null: nobody has told a context that can be followed. */
export function traceOf(state: Pick<JobState, 'queued' | 'attempts'>): TraceContext | null {
  return jobTrace(state) ?? lastStart(state)?.trace ?? null;
}

/** null: what was told is no trace after all. */
export function incompleteTrace(row: IncompleteRow, template: string | null): IncompleteTrace | null {
  const state = stateFromJson(row.state);
  const trace = traceOf(state);
  if (trace === null) return null;
  const { ref, kind, status, attempt, because, waitsFor, heldBy, sinceMs, leases, nowMs } = row;
  const url = traceUrl(template, trace.traceId);
  const processing = status === 'processing' || status === 'restart-requested';
  const gaps = visibilityGaps(state, leases, { attempt, processing, nowMs });
  return {
    ...{ namespace: ref.namespace, queue: ref.queue, id: ref.id, kind, status, attempt, because, waitsFor },
    ...(heldBy !== null && { heldBy }),
    since: iso(sinceMs),
    ...{ traceId: trace.traceId, sampled: trace.sampled },
    ...(url !== undefined && { traceUrl: url }),
    lastSpan: lastSpan(state, trace),
    lastBeatAt: isoOrNull(leases.get(attempt)?.beatMs ?? null),
    gaps: gaps.map(({ attempt: of, fromMs, untilMs }) => ({ attempt: of, from: iso(fromMs), until: isoOrNull(untilMs), ms: (untilMs ?? nowMs) - fromMs })),
  };
}

interface StartedSpan {
  readonly trace: TraceContext;
  readonly attempt: number;
  readonly claimed: boolean;
  readonly laneMs: number;
  readonly worker: { readonly id: string; readonly revision?: string };
}

function lastSpan(state: Pick<JobState, 'queued' | 'attempts'>, producer: TraceContext): IncompleteTrace['lastSpan'] {
  const start = lastStart(state);
  if (start === null) return { spanId: producer.spanId, event: 'queued', at: iso(state.queued?.laneMs ?? 0) };
  const { id, revision } = start.worker;
  const worker = { id, ...(revision !== undefined && { revision }) };
  return { spanId: start.trace.spanId, event: start.claimed ? 'claimed' : 'started', at: iso(start.laneMs), attempt: start.attempt, worker };
}

/** Of the newest attempt that has told its span, the last start. */
function lastStart({ attempts }: Pick<JobState, 'attempts'>): StartedSpan | null {
  for (const attempt of [...attempts.keys()].sort((a, b) => b - a)) {
    const { starts = [], claimId = null } = attempts.get(attempt) ?? {};
    for (const { traceparent, laneMs, worker } of [...starts].sort((a, b) => b.laneMs - a.laneMs)) {
      const trace = readTrace(traceparent);
      if (trace !== null) return { trace, attempt, claimed: claimId !== null, laneMs, worker };
    }
  }
  return null;
}
