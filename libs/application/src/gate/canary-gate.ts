import {
  chooseCanary,
  judgeCanary,
  spanOf,
  windowIn,
  type CanaryVerdict,
  type GatePolicy,
  type GateReason,
  type GateSelection,
} from '#libs/domain';
import { RetryableError } from '../ports/errors.js';
import type { GateOverride, GateReads, GateScope, GateStore } from '../ports/gate-store.port.js';
import type { QueueName } from '../ports/outcome-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { PostmortemStore } from '../ports/postmortem-store.port.js';
import { strictest } from './strictest.js';

export interface CanaryGateParts {
  readonly reads: GateReads;
  readonly store: Pick<GateStore, 'standing'>;
  readonly postmortems: Pick<PostmortemStore, 'unsignedOf' | 'unsignedOfQueues' | 'visibleOf'>;
  readonly policies: PolicySource;
  /** Hears of every answer; for metrics. */
  readonly told?: (request: GateRequest, answer: GateAnswer) => void;
}

export interface GateRequest {
  readonly scope: GateScope;
  /** Queues of others are not looked at; their incidents keep the gate closed, and are not told. */
  readonly namespaces: readonly string[] | 'all';
  readonly selection: GateSelection;
  /** The rollout began then, lane time ms; null: judged is whatever is there. */
  readonly sinceMs: number | null;
}

export interface GateAnswer extends CanaryVerdict {
  /** It may go on: the canary is healthy and nothing keeps the gate closed. */
  readonly pass: boolean;
  /** What keeps the gate closed, whatever the canary does. */
  readonly closed: readonly GateClosure[];
  /** What was let through by hand and would have kept it closed, or stands in case something will; null also for who may not know. */
  readonly override: GateOverride | null;
  readonly scope: GateScope;
  /** null: none was heard of. */
  readonly canary: { readonly revision: string; readonly track: string | null } | null;
  readonly policy: GatePolicy;
}

export interface GateClosure {
  readonly code: 'postmortem_open';
  readonly incidentIds: readonly string[];
}

/**
 * Answers whether a canary may go on. Only reads, so it may be asked as often as anybody likes: the answer is as good at
 * the hundredth look as at the first. Answers `error` rather than throw where the database is away: whoever asks must not
 * take that for a yes or a no.
 */
export class CanaryGate {
  constructor(private readonly parts: CanaryGateParts) {}

  async look(request: GateRequest): Promise<GateAnswer> {
    const answer = await this.judged(request).catch((error: unknown) => {
      if (!(error instanceof RetryableError)) throw error;
      return this.withoutVerdict(request, 'database_unavailable', []);
    });
    this.parts.told?.(request, answer);
    return answer;
  }

  private async judged(request: GateRequest): Promise<GateAnswer> {
    const { scope, selection, sinceMs } = request;
    const { reads, policies } = this.parts;
    const queues = await this.queuesOf(request);
    if (queues.length === 0) return this.withoutVerdict(request, scope.queue === null ? 'target_unknown' : 'queue_unknown', []);
    const policy = strictest(queues.map((queue) => policies.policyFor(queue, null).policy.gate));
    const [closing, seen, nowMs] = await Promise.all([this.closing(request, queues), reads.seen(queues), reads.nowMs()]);
    const { canary, stable, firstMs } = chooseCanary(seen, selection, sinceMs ?? 0);
    const context = { scope, policy, canary, ...closing };
    if (canary === null || firstMs === null) {
      // A revision that was named and never came is a mistake; a track without workers is a rollout that has not begun.
      const named = selection.by === 'revision' && sinceMs === null;
      return named ? errorOf('revision_unknown', context, nowMs) : answered(nothingOf('inconclusive', 'no_canary_traffic', nowMs, policy.minSample), context);
    }
    if (!stable) return errorOf('stable_unknown', context, nowMs);
    const span = spanOf({ firstMs, sinceMs: sinceMs ?? 0, nowMs, windowMs: policy.windowMs });
    const rows = await reads.rows(queues, span);
    return answered(judgeCanary(windowIn(span, selection, canary.revision, rows), policy), context);
  }

  /** What is judged. A queue that nobody has named is none; of a target all those whose policy names it. */
  async queuesOf({ scope, namespaces }: Pick<GateRequest, 'scope' | 'namespaces'>): Promise<readonly QueueName[]> {
    const { reads, policies } = this.parts;
    if (scope.queue !== null) {
      const { namespace, queue } = scope.queue;
      return (await reads.queues([namespace])).filter((q) => q.queue === queue);
    }
    return (await reads.queues(namespaces)).filter((queue) => policies.policyFor(queue, null).policy.rollback.target === scope.target);
  }

  private async closing({ scope, namespaces }: GateRequest, queues: readonly QueueName[]): Promise<Pick<GateAnswer, 'closed' | 'override'>> {
    const { postmortems, store, policies } = this.parts;
    const target = scope.queue === null ? scope.target : policies.policyFor(scope.queue, null).policy.rollback.target;
    const unsigned = await Promise.all([target === null ? [] : postmortems.unsignedOf(target), postmortems.unsignedOfQueues(queues)]);
    const incidentIds = [...new Set(unsigned.flat())].sort((a, b) => Number(a) - Number(b));
    const override = await store.standing(target, queues);
    const told = namespaces === 'all' ? incidentIds : await postmortems.visibleOf(incidentIds, namespaces);
    return {
      closed: incidentIds.length === 0 || override !== null ? [] : [{ code: 'postmortem_open', incidentIds: told }],
      // One of a target is the installation's.
      override: namespaces === 'all' || override?.scope.target === null ? override : null,
    };
  }

  private withoutVerdict({ scope }: GateRequest, reason: GateReason, queues: readonly QueueName[]): GateAnswer {
    const policy = strictest(queues.map((queue) => this.parts.policies.policyFor(queue, null).policy.gate));
    return errorOf(reason, { scope, policy, canary: null, closed: [], override: null }, 0);
  }
}

type Context = Pick<GateAnswer, 'scope' | 'policy' | 'canary' | 'closed' | 'override'>;

function answered(verdict: CanaryVerdict, context: Context): GateAnswer {
  return { ...verdict, ...context, pass: verdict.verdict === 'healthy' && context.closed.length === 0 };
}

function errorOf(reason: GateReason, context: Context, nowMs: number): GateAnswer {
  return answered(nothingOf('error', reason, nowMs), context);
}

/** `needed`: of the canary, of which nothing is there yet. */
function nothingOf(verdict: 'error' | 'inconclusive', reason: GateReason, nowMs: number, needed = 0): CanaryVerdict {
  const none = { canary: 0, stable: 0 };
  return {
    ...{ verdict, reasons: [reason], evidence: [], samples: none, metrics: [] },
    needed: { canary: needed, stable: 0 },
    window: { sinceMs: nowMs, fromMs: nowMs, toMs: nowMs },
  };
}
