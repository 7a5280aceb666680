import type { LaneView, WorkerView } from '#libs/contracts';
import { planOf, limitsOf, spreadOf, stateFromJson, viewOf } from '#libs/domain';
import { readingFor, type LaneReading } from '../ports/lane-clock.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { HeldRow, LaneRow, WorkerRow } from '../ports/read-models.port.js';
import { iso, isoOrNull } from './time.js';

type Held = WorkerView['holds'][number];

export function workerView(row: WorkerRow, policies: PolicySource, reading: LaneReading): WorkerView {
  return {
    namespace: row.namespace,
    id: row.id,
    ...(row.incarnation !== null && { incarnation: row.incarnation }),
    ...(row.revision !== null && { revision: row.revision }),
    ...(row.track !== null && { track: row.track }),
    lastBeatAt: isoOrNull(row.beatMs),
    holds: [...row.holds.map((held) => heldView(held, policies, reading)), ...unknownViews(row.unknown)],
    ...(row.runtime !== null && { runtime: JSON.parse(row.runtime) as NonNullable<WorkerView['runtime']> }),
  };
}

function heldView(held: HeldRow, policies: PolicySource, reading: LaneReading): Held {
  const endsMs = leaseEndMs(held, policies, reading);
  return {
    queue: held.ref.queue,
    id: held.ref.id,
    attempt: held.attempt,
    token: viewOf(stateFromJson(held.state)).token,
    leaseEndsAt: endsMs === null ? null : iso(endsMs),
    known: true,
  };
}

/** When the lease of an attempt in progress ends, lane time ms; null: the job does not wait for that. */
export function leaseEndMs(held: HeldRow, policies: Pick<PolicySource, 'policyFor'>, reading: LaneReading): number | null {
  const state = stateFromJson(held.state);
  const view = viewOf(state);
  const { policy, sources, learned = null } = policies.policyFor(held.ref, held.kind);
  const limits = limitsOf(state, policy, sources, learned);
  const { epoch, nowMs } = reading;
  const { gapEndMs } = readingFor(reading, policy.heartbeatTransport);
  // A lease's end has no jitter: what is spread matters to the plans of other states only.
  const spread = (attempt: number) => spreadOf('', attempt);
  const plan = planOf({ state, view, lease: held.lease, policy, limits, gapEndMs, epoch, spread }, nowMs);
  return plan?.waitsFor === 'lease' ? plan.dueMs : null;
}

interface Unknown {
  readonly queue?: unknown;
  readonly id?: unknown;
  readonly attempt?: unknown;
}

function unknownViews(json: string | null): Held[] {
  if (json === null) return [];
  const listed = JSON.parse(json) as readonly Unknown[];
  return listed.map(({ queue, id, attempt }) => ({
    queue: typeof queue === 'string' ? queue : '',
    id: typeof id === 'string' ? id : '',
    attempt: typeof attempt === 'number' ? attempt : 1,
    leaseEndsAt: null,
    known: false,
  }));
}

/** HTTP's watermark is what the clock read, a partition's its row's; `inside` is Jobwarden's own, always up to date. */
export function laneView(row: LaneRow, reading: LaneReading, inFlight: number): LaneView {
  if (row.name === 'inside') return { lane: row.name, transport: row.name, watermark: iso(reading.nowMs), lagMs: 0, gapEndedAt: null };
  const readMs = row.name === 'http' ? reading.http.readMs : row.readMs;
  const read = readMs > 0;
  return {
    lane: row.name,
    transport: row.name === 'http' ? 'http' : 'kafka',
    watermark: read ? iso(readMs) : null,
    lagMs: read ? Math.max(0, reading.nowMs - readMs) : null,
    gapEndedAt: row.gapEndMs === 0 ? null : iso(row.gapEndMs),
    ...(row.name === 'http' ? { inFlight } : partitionView(row)),
  };
}

function partitionView({ next, endAt, stopped, holds }: LaneRow): Partial<LaneView> {
  return {
    next,
    ...(endAt !== null && { end: endAt, behind: Math.max(0, endAt - next) }),
    ...(stopped !== null && { stopped }),
    ...(!holds && { retired: true }),
  };
}
