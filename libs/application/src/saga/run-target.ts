import type { LookFault, TargetFacts, WorkloadSeen, WorkloadWanted } from '#libs/domain';
import { OrchestratorError, type Applied, type ApplyOptions, type Orchestrators } from '../ports/orchestrator.port.js';

/** No call of an orchestrator takes longer, whatever hangs. Far below what a run's lock outlives. */
const WITHIN_MS = 10_000;

export type TargetAnswer<T> = { readonly ok: T } | { readonly fault: LookFault };

/** What is rolled back, with a limit on every call, and with its failures as values. */
export class RunTarget {
  constructor(
    private readonly orchestrators: Orchestrators,
    private readonly withinMs = WITHIN_MS,
  ) {}

  async observe(target: string): Promise<TargetAnswer<WorkloadSeen>> {
    return await this.within((signal) => this.orchestrators.for(target).observe(target, signal));
  }

  async apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, bounds: Required<Pick<ApplyOptions, 'mostWrites' | 'mayWrite'>>): Promise<TargetAnswer<Applied>> {
    return await this.within((signal) => this.orchestrators.for(target).apply(target, wanted, seen, { signal, ...bounds }));
  }

  private async within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<TargetAnswer<T>> {
    const signal = AbortSignal.timeout(this.withinMs);
    // Begun within a promise: what is thrown at once would leave `late` to nobody, and its end would be the process's.
    const called = Promise.resolve(signal).then(call);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new OrchestratorError('timed_out', `no answer within ${String(this.withinMs / 1_000)} s`)), { once: true });
    });
    try {
      return { ok: await Promise.race([called, late]) };
    } catch (error) {
      return { fault: faultOf(error) };
    }
  }
}

export type FactsOf = (target: string) => Promise<TargetFacts>;

function faultOf(error: unknown): LookFault {
  if (error instanceof OrchestratorError) return { code: error.code, detail: error.message, retryAfterMs: error.retryAfterMs };
  return { code: 'unreachable', detail: error instanceof Error ? error.message : String(error), retryAfterMs: null };
}
