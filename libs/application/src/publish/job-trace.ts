import { readTrace, type CommandTrace, type TraceContext } from '#libs/contracts';
import type { JobState } from '#libs/domain';

/** Of whoever queued the job; null: nobody has told one that can be followed. */
export function jobTrace({ queued }: Pick<JobState, 'queued'>): TraceContext | null {
  return readTrace(queued?.traceparent, queued?.tracestate);
}

/** The job's trace context as attributes of a CloudEvent: unchanged, so that a repeat says what the first one has said. */
export function envelopeTrace(state: Pick<JobState, 'queued'>): { readonly traceparent?: string; readonly tracestate?: string } {
  const trace = jobTrace(state);
  if (trace === null) return {};
  const { traceparent, tracestate } = trace;
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

/** What whoever runs the attempt makes its span of; undefined: nothing is known. */
export function commandTrace(state: Pick<JobState, 'queued' | 'attempts'>, attempt: number): CommandTrace | undefined {
  const previous = spanBefore(state, attempt);
  const trace: CommandTrace = { ...envelopeTrace(state), ...(previous !== null && { previous }) };
  return Object.keys(trace).length === 0 ? undefined : trace;
}

/** The span of the newest attempt below this one that has told its own; of several starts the last one's. */
function spanBefore({ attempts }: Pick<JobState, 'attempts'>, attempt: number): string | null {
  const below = [...attempts.keys()].filter((n) => n < attempt).sort((a, b) => b - a);
  for (const n of below) {
    const starts = [...(attempts.get(n)?.starts ?? [])].sort((a, b) => b.laneMs - a.laneMs);
    for (const { traceparent } of starts) {
      const span = readTrace(traceparent);
      if (span !== null) return span.traceparent;
    }
  }
  return null;
}
