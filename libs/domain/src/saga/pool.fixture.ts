import { pods, release, seenOf } from '../rollout/workload.fixture.js';
import type { PodSeen, WorkloadSeen, WorkloadWanted } from '../rollout/workload.js';

/** What others may write to a pool, beside what a run does. */
export type PoolWish = WorkloadWanted & { readonly paused?: boolean };

/** Three pods of `v2` and two releases to go back to, in memory. It keeps the contract of orchestrators as far as a run looks at one. */
export class FakePool {
  seen: WorkloadSeen = seenOf({ releases: [release('v2'), release('v1'), release('v0')] });
  /** From a wish to pods that are as it says. Until then the counters are those of before. */
  lagMs = 3_000;
  /** How long pods that were replaced are stopping: they are listed, and no counter has them. */
  stopMs = 0;
  /** Revisions whose pods never get ready. */
  broken: readonly string[] = [];
  private settlesMs = 0;
  private leaving: readonly PodSeen[] = [];

  wish({ releaseId, replicas, pauseScaler, paused }: PoolWish, manager: string, atMs: number): void {
    const w = this.seen;
    const to = w.releases.find(({ id }) => id === releaseId);
    const changes = (to !== undefined && to.id !== w.releaseId) || (replicas !== undefined && replicas !== w.wanted) || (paused !== undefined && paused !== w.paused);
    this.seen = {
      ...w,
      generation: w.generation + (changes ? 1 : 0),
      wanted: replicas ?? w.wanted,
      paused: paused ?? w.paused,
      ...(to !== undefined && { revision: to.revision, releaseId: to.id, releases: [to, ...w.releases.filter((one) => one !== to)] }),
      ...(pauseScaler !== undefined && w.scaler?.kind === 'keda' && { scaler: { ...w.scaler, paused: pauseScaler } }),
      writers: {
        release: to === undefined ? w.writers.release : { manager, atMs },
        replicas: replicas === undefined ? w.writers.replicas : { manager, atMs },
      },
    };
    if (!changes) return;
    this.settlesMs = atMs + this.lagMs;
    this.leaving = w.pods.map((pod) => ({ ...pod, terminating: true }));
  }

  /** What was wished for last is carried out now. */
  goOn(nowMs: number): void {
    this.settlesMs = nowMs;
  }

  settle(nowMs: number): void {
    const { seen: w, settlesMs } = this;
    if (nowMs < settlesMs || w.revision === null) return;
    if (w.paused) {
      this.seen = { ...w, observedGeneration: w.generation };
      return;
    }
    const ready = !this.broken.includes(w.revision);
    const standing = pods(w.revision, w.wanted, ready ? {} : { ready: false, reason: 'CrashLoopBackOff' });
    const names = new Set(standing.map(({ name }) => name));
    const leaving = nowMs < settlesMs + this.stopMs ? this.leaving.filter(({ name }) => !names.has(name)) : [];
    this.seen = { ...w, observedGeneration: w.generation, replicas: w.wanted, updated: w.wanted, available: ready ? w.wanted : 0, pods: [...standing, ...leaving] };
  }
}
