import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { UnreachableError, type ClaimResult, type EventResult, type TraceContext, type Worker } from '@jobwarden/client';
import type { Gates } from './gates.js';
import { assumed, type Granted } from './job-handle.js';
import { REFUSED_RETRY_MS, type RefusedRevision } from './refused-revision.js';
import { LateClaim } from './late-claim.js';
import type { Settings } from './options.js';
import type { RunResult, RunSpec } from './spec.js';

export interface Begun {
  readonly kind: 'begun';
  readonly granted: Granted;
  readonly claiming: LateClaim | null;
}

type Refused = Extract<RunResult, { kind: 'refused' | 'stopped' }>;

export interface BeginParts {
  readonly settings: Settings;
  readonly gates: Gates;
  readonly worker: Worker;
  readonly refused: RefusedRevision;
  /** Told what a claim that was late has come to. */
  readonly late: (granted: Granted, result: ClaimResult) => void;
}

const AGAIN_MS = 1_000;
const QUARANTINED = { kind: 'refused', code: 'revision_quarantined', retryAfterMs: REFUSED_RETRY_MS } as const;

/** Asks, as the worker is set, whether an attempt may be begun, and tells that it is. */
export class Begin {
  /** Queues whose policy turned out to require claims. */
  private readonly claimed = new Set<string>();

  constructor(private readonly parts: BeginParts) {}

  /** `trace`: of the span that the attempt is to be. */
  async begin(spec: RunSpec, trace?: TraceContext): Promise<Begun | Refused> {
    const { settings, gates, worker, refused } = this.parts;
    if (refused.is(spec.queue)) return QUARANTINED;
    if ((await settings.outbox?.hasSucceeded(spec)) === true) return { kind: 'refused', code: 'finished' };
    const granted = assumed(spec, settings.leaseMs);
    if (settings.claims || this.claimed.has(spec.queue)) return await this.claim(spec, granted, trace);
    if (settings.gates) {
      if (worker.revision !== undefined && (await gates.refuses(spec.queue, worker.revision))) {
        refused.note(spec.queue);
        return QUARANTINED;
      }
      const passage = await gates.pass(spec.queue);
      if (passage.kind === 'closed') return { kind: 'refused', code: passage.code, retryAfterMs: passage.retryAfterMs };
    }
    return await this.start(spec, granted, trace);
  }

  private async start(spec: RunSpec, granted: Granted, trace: TraceContext | undefined): Promise<Begun | Refused> {
    const { settings, worker } = this.parts;
    const { attempt, token, leaseMs } = granted;
    const result = await settings.emitter.ask(
      { type: 'started', queue: spec.queue, jobId: spec.id, ...trace, data: { attempt, ...(token !== undefined && { token }), worker, leaseMs } },
      { wait: settings.onUnavailable === 'wait' },
    );
    if (result?.code === 'token_required') {
      settings.logger.info(`the queue ${spec.queue} requires claims, so its jobs are claimed`);
      this.claimed.add(spec.queue);
      return await this.claim(spec, granted, trace);
    }
    return refusalOf(result) ?? { kind: 'begun', granted, claiming: null };
  }

  private async claim(spec: RunSpec, granted: Granted, trace: TraceContext | undefined): Promise<Begun | Refused> {
    const { settings, worker } = this.parts;
    const claimId = randomUUID();
    const { token, leaseMs } = granted;
    const claim = () => settings.client.claim(spec, { claimId, worker, leaseMs, ...(token !== undefined && { token }), ...trace });
    for (;;) {
      try {
        const result = await claim();
        if (result.kind === 'granted') return { kind: 'begun', granted: grantedBy(result, granted), claiming: null };
        if (result.code === 'revision_quarantined') this.parts.refused.note(spec.queue);
        return { kind: 'refused', code: result.code, ...(result.retryAfterMs !== undefined && { retryAfterMs: result.retryAfterMs }) };
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        if (settings.onUnavailable === 'run') {
          const claiming = new LateClaim(claim, (result) => this.parts.late(granted, result));
          return { kind: 'begun', granted, claiming };
        }
        await delay(Math.max(AGAIN_MS, error.retryAfterMs ?? 0), undefined, spec.signal === undefined ? {} : { signal: spec.signal }).catch(() => undefined);
        if (spec.signal?.aborted === true) return { kind: 'stopped', reason: 'stop' };
      }
    }
  }
}

/** A claim may open the next attempt, also where the caller has meant an older one. */
export function grantedBy(result: Extract<ClaimResult, { kind: 'granted' }>, before: Granted): Granted {
  const { attempt, token, leaseMs, invalidation, command } = result;
  return { attempt, token, leaseMs, invalidation: invalidation ?? before.invalidation, command: command ?? before.command, claimed: true };
}

/** What a start is answered. `restart-requested`: whoever lets go at once spares the others the grace. */
function refusalOf(result: EventResult | null): Refused | null {
  const word = result?.outcome === 'refused' ? result.code : result?.state;
  if (word === 'superseded' || word === 'finished') return { kind: 'refused', code: word };
  return word === 'restart-requested' ? { kind: 'stopped', reason: word } : null;
}
