import type { AttemptSpan } from './hooks.js';
import type { Settings } from './options.js';
import type { RunSpec } from './spec.js';

/** The span of an attempt that is about to be asked for; undefined: nothing is traced. */
export function spanOf(spec: RunSpec, { tracing, id: worker }: Settings): AttemptSpan | undefined {
  if (tracing === undefined) return undefined;
  const { queue, id, command, kind = command?.kind, attempt = command?.attempt ?? 1 } = spec;
  const { traceparent = command?.trace?.traceparent, tracestate = command?.trace?.tracestate } = spec;
  const previous = command?.trace?.previous;
  const trace = {
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
    ...(previous !== undefined && { previous }),
  };
  return tracing.begin({ queue, id, attempt, kind, worker, trace });
}
