import { setTimeout as delay } from 'node:timers/promises';
import { OrchestratorError, type Applied, type ApplyOptions, type Orchestrator } from '#libs/application';
import { JOBWARDEN_WRITER, type WorkloadSeen, type WorkloadWanted } from '#libs/domain';
import type { SimulatedFault, SimulatedPool } from './pool.js';
import { stepTo, wish } from './step.js';
import type { SimulatedStore } from './store.js';
import { versionOf, viewOf } from './view.js';

export interface SimulatedOptions {
  readonly store: SimulatedStore;
  /** ms. */
  readonly now: () => number;
  /** Of one call, ms. Default 10,000. */
  readonly timeoutMs?: number;
}

const PREFIX = 'simulated:';

/**
 * Worker pools that are only calculated, for trials and tests: they roll out, lag, stop slowly, conflict, refuse and are reverted as a cluster does, in
 * steps that depend on nothing but the time. They pass the contract that the real ones pass.
 */
export class SimulatedOrchestrator implements Orchestrator {
  readonly kind = 'simulated';
  private readonly now: () => number;
  private readonly timeoutMs: number;

  constructor(private readonly options: SimulatedOptions) {
    this.now = options.now;
    this.timeoutMs = options.timeoutMs ?? 10_000;
  }

  async observe(target: string, signal: AbortSignal): Promise<WorkloadSeen> {
    failAs(await this.fault(target, 'observe', signal));
    const ms = this.now();
    return viewOf(target, this.change(target, (pool) => stepTo(pool, ms)), ms);
  }

  async apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, { signal, dryRun = false, mayWrite }: ApplyOptions): Promise<Applied> {
    const fault = await this.fault(target, 'apply', signal);
    if (fault?.afterwards !== true) failAs(fault);
    if ((await mayWrite?.()) === false) throw new OrchestratorError('conflict', `${target}: it is not to be written any more`);
    const ms = this.now();
    const now = this.change(target, (pool) => stepTo(pool, ms));
    const next = written(now, wanted, seen, ms);
    if (!dryRun) this.change(target, () => next);
    if (fault?.afterwards === true) failAs(fault);
    const standing = dryRun ? now : next;
    const writes = Number(next.generation !== now.generation) + Number(next.scaler !== now.scaler);
    return { changed: writes > 0, generation: standing.generation, version: versionOf(standing), writes: dryRun ? 0 : writes };
  }

  /** What the next call fails with is taken out, and waited for. */
  private async fault(target: string, verb: 'observe' | 'apply', signal: AbortSignal): Promise<SimulatedFault | null> {
    let found: SimulatedFault | undefined;
    this.change(target, (pool) => {
      const at = pool.faults.findIndex((fault) => fault.verb === undefined || fault.verb === verb);
      found = pool.faults[at];
      return found === undefined ? pool : { ...pool, faults: pool.faults.toSpliced(at, 1) };
    });
    const waited = await until(signal, Math.min(found?.delayMs ?? 0, this.timeoutMs));
    if (!waited) throw new OrchestratorError('timed_out', `${target}: interrupted`);
    if ((found?.delayMs ?? 0) >= this.timeoutMs) throw new OrchestratorError('timed_out', `${target}: no answer within ${String(this.timeoutMs)} ms`);
    return found ?? null;
  }

  private change(target: string, how: (pool: SimulatedPool) => SimulatedPool): SimulatedPool {
    const name = target.startsWith(PREFIX) ? target.slice(PREFIX.length) : '';
    if (name === '') throw new OrchestratorError('unsupported', `"${target}" is no simulated:NAME`);
    const pools = this.options.store.load();
    const pool = Object.hasOwn(pools, name) ? pools[name] : undefined;
    if (pool === undefined) throw new OrchestratorError('not_found', `there is no simulated pool ${name}`);
    const next = how(pool);
    if (next !== pool) this.options.store.save({ ...pools, [name]: next });
    return next;
  }
}

function written(pool: SimulatedPool, wanted: WorkloadWanted, seen: WorkloadSeen, ms: number): SimulatedPool {
  const { releaseId, replicas, pauseScaler } = wanted;
  if (releaseId !== undefined && !pool.releases.some((release) => release.id === releaseId)) {
    throw new OrchestratorError('not_found', `${seen.target} keeps no release ${releaseId}`);
  }
  const next = wish(
    pool,
    { ...(releaseId === undefined ? {} : { release: releaseId }), ...(replicas === undefined ? {} : { replicas }) },
    { manager: JOBWARDEN_WRITER, atMs: ms },
  );
  if (next !== pool && pool.generation !== seen.generation) {
    throw new OrchestratorError('conflict', `${seen.target} has been written since it was looked at, last by ${pool.writers.release?.manager ?? 'somebody'}`);
  }
  const { scaler } = next;
  if (scaler?.kind !== 'keda' || pauseScaler === undefined || scaler.paused === pauseScaler) return next;
  return { ...next, scaler: { ...scaler, paused: pauseScaler } };
}

function failAs(fault: SimulatedFault | null): void {
  if (fault?.code === undefined) return;
  throw new OrchestratorError(fault.code, `simulated: ${fault.code}`, { retryAfterMs: fault.retryAfterMs ?? null });
}

/** false: interrupted. */
async function until(signal: AbortSignal, ms: number): Promise<boolean> {
  if (signal.aborted) return false;
  if (ms === 0) return true;
  return await delay(ms, true, { signal }).catch(() => false);
}
