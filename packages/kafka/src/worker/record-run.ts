import type { JobRef } from '@jobwarden/client';
import type { RunSpec } from '@jobwarden/worker';
import type { EachMessagePayload } from 'kafkajs';
import { putBackRunOf } from '../headers.js';
import { payloadOf } from '../payload.js';
import { parseRunId, runId } from '../run-id.js';
import { traceOf } from '../trace.js';

/** What a record is to Jobwarden. */
export interface RecordRun extends JobRef {
  /** A command put it there, for this attempt; a copy of it means the same. */
  readonly putBack: boolean;
  /** Jobwarden has what it takes to put it back. */
  readonly carried: boolean;
  readonly spec: RunSpec;
}

/** Null: it was put back for another group that reads the topic. */
export function runOf({ topic, partition, message }: EachMessagePayload, groupId: string): RecordRun | null {
  const payload = payloadOf(message);
  const shown = { ...(payload !== null && { payload }), ...traceOf(message.headers) };
  const asked = putBackRunOf(message.headers);
  if (asked !== null) {
    if ((parseRunId(asked.jobId)?.groupId ?? groupId) !== groupId) return null;
    const { queue, jobId: id, attempt, token } = asked;
    const command = { reason: 'requeued', ...asked.command, queue, n: 0, attempt, token };
    return { queue, id, putBack: true, carried: true, spec: { queue, id, attempt, token, command, ...shown } };
  }
  const id = runId({ topic, partition, offset: message.offset, createdMs: Number(message.timestamp), groupId });
  return { queue: topic, id, putBack: false, carried: payload !== null, spec: { queue: topic, id, ...shown } };
}
