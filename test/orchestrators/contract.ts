// What every orchestrator does, whatever runs the workers. The simulated one is believed in other tests because it passes this as the real ones do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyOptions, Orchestrator, OrchestratorError } from '#libs/application';
import { conflictOf, gone, rolledOut, type WorkloadSeen, type WorkloadWanted, type WorkloadWritten } from '#libs/domain';

export interface UnderContract {
  readonly orchestrator: Orchestrator;
  /** A pool of 3 pods at rest: `v1` was out before, `v2` is. One of its own for each test. */
  pool(options?: PoolOptions): Promise<ContractPool>;
  /** A target of the right form that does not exist. */
  readonly unknownTarget: string;
  /** An orchestrator whose other side takes calls and never answers. It has a time limit of at most a second. */
  hanging(): Promise<{ readonly orchestrator: Orchestrator; readonly target: string }>;
  /** One that may look at the target, and may not write to it. */
  mayOnlyLook(): Promise<{ readonly orchestrator: Orchestrator; readonly target: string }>;
  /** One whose other side has had too many calls, and says when to come again; null: it cannot say. */
  throttled(): Promise<{ readonly orchestrator: Orchestrator; readonly target: string; readonly retryAfterMs: number | null }>;
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Pods of it never get ready. */
  readonly broken?: 'v1' | 'v2';
  /** An autoscaler of KEDA sets the number of pods, from 1 to 9. */
  readonly keda?: boolean;
  /** How long pods are stopping. */
  readonly stopMs?: number;
}

export interface ContractPool {
  readonly target: string;
  /** Somebody else writes. */
  write(by: string, wish: { readonly revision?: 'v1' | 'v2'; readonly replicas?: number; readonly paused?: boolean }): Promise<void>;
  /** Looks until it holds. */
  until(what: string, holds: (seen: WorkloadSeen) => boolean): Promise<WorkloadSeen>;
  /** Wishes are taken and nobody carries them out, until the answer is called. */
  halt(): Promise<() => void>;
}

/** Of an operator's command one cannot ask what only a cluster does: it shows what it likes. */
export interface ContractOptions {
  /** Default true: autoscalers, pods that stop slowly, a wish that is not read yet. */
  readonly ofCluster?: boolean;
}

const options = (): ApplyOptions => ({ signal: AbortSignal.timeout(20_000) });

export function orchestratorContract(name: string, open: () => Promise<UnderContract>, { ofCluster = true }: ContractOptions = {}): void {
  describe(`the contract of orchestrators, kept by ${name}`, () => {
    let subject: UnderContract;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const look = (target: string): Promise<WorkloadSeen> => subject.orchestrator.observe(target, options().signal);
    const releaseOf = (seen: WorkloadSeen, revision: string) => seen.releases.find((one) => one.revision === revision)?.id ?? '';
    const write = async (seen: WorkloadSeen, wanted: WorkloadWanted): Promise<WorkloadWritten> => {
      const { generation } = await subject.orchestrator.apply(seen.target, wanted, seen, options());
      const revision = seen.releases.find((one) => one.id === wanted.releaseId)?.revision ?? null;
      return { releaseId: wanted.releaseId ?? null, revision, replicas: wanted.replicas ?? seen.wanted, generation, atMs: 0 };
    };
    const state = (seen: WorkloadSeen, written: WorkloadWritten) => rolledOut(seen, { written, bad: ['v2'], nowMs: 0, deadlineMs: 1 }).state;
    const failure = async (work: Promise<unknown>): Promise<string> => {
      const error: unknown = await work.then(() => null, (reason: unknown) => reason);
      return error instanceof Error && 'code' in error ? (error as OrchestratorError).code : String(error);
    };

    it('a look tells the wish, the counters, the releases and every pod', async () => {
      const { target } = await subject.pool();
      const seen = await look(target);
      expect(seen).toMatchObject({ target, wanted: 3, replicas: 3, updated: 3, available: 3, revision: 'v2', paused: false, failure: null, scaler: null });
      expect(seen.observedGeneration).toBe(seen.generation);
      expect(seen.releases.map((release) => release.revision)).toEqual(['v2', 'v1']);
      expect(seen.releaseId).toBe(releaseOf(seen, 'v2'));
      expect(seen.pods.map((pod) => [pod.revision, pod.ready, pod.terminating])).toEqual(Array(3).fill(['v2', true, false]));
    });

    it('one write brings the release and the number of pods, until no pod of the old one is left', async () => {
      const pool = await subject.pool();
      const seen = await look(pool.target);
      const written = await write(seen, { releaseId: releaseOf(seen, 'v1'), replicas: 4 });
      const after = await pool.until('v1 is out', (now) => state(now, written) === 'done');
      expect(after).toMatchObject({ revision: 'v1', wanted: 4, available: 4 });
      expect(gone(after, 'v2').gone).toBe(true);
    });

    it('the same write again changes nothing, also on the old look: a lost answer does no harm', async () => {
      const pool = await subject.pool();
      const seen = await look(pool.target);
      const wanted = { releaseId: releaseOf(seen, 'v1'), replicas: 3 };
      const written = await write(seen, wanted);
      await pool.until('v1 is out', (now) => state(now, written) === 'done');
      const now = await look(pool.target);
      expect(await subject.orchestrator.apply(pool.target, wanted, now, options())).toMatchObject({ changed: false, writes: 0, generation: now.generation });
      await subject.orchestrator.apply(pool.target, wanted, seen, options());
      expect((await look(pool.target)).revision).toBe('v1');
    });

    it('scaled to zero and brought back with another release, all pods are there again', async () => {
      const pool = await subject.pool();
      const seen = await look(pool.target);
      await write(seen, { replicas: 0 });
      const empty = await pool.until('no pod is left', (now) => now.wanted === 0 && gone(now, null).gone);
      expect(empty.revision).toBe('v2');
      const written = await write(empty, { releaseId: releaseOf(empty, 'v1'), replicas: seen.wanted });
      expect(await pool.until('v1 is out', (now) => state(now, written) === 'done')).toMatchObject({ wanted: 3, available: 3 });
    });

    it('a dry run changes nothing', async () => {
      const { target } = await subject.pool();
      const seen = await look(target);
      const wanted = { releaseId: releaseOf(seen, 'v1'), replicas: 5 };
      const applied = await subject.orchestrator.apply(target, wanted, seen, { ...options(), dryRun: true });
      expect(applied).toMatchObject({ changed: true, writes: 0 });
      expect(await look(target)).toMatchObject({ revision: 'v2', wanted: 3, generation: seen.generation });
    });

    it('a write is made only where it may be by then, which is asked after everything else, and each time', async () => {
      const { target } = await subject.pool();
      const seen = await look(target);
      const wanted = { releaseId: releaseOf(seen, 'v1'), replicas: 2 };
      expect(await failure(subject.orchestrator.apply(target, wanted, seen, { ...options(), mayWrite: () => Promise.resolve(false) }))).toBe('conflict');
      expect(await look(target)).toMatchObject({ revision: 'v2', wanted: 3, generation: seen.generation });
      const asked: string[] = [];
      const mayWrite = () => Promise.resolve(asked.push('asked') > 0);
      expect(await subject.orchestrator.apply(target, wanted, seen, { ...options(), mayWrite })).toMatchObject({ changed: true });
      expect(asked.length).toBeGreaterThan(0);
      expect(await look(target)).toMatchObject({ revision: 'v1', wanted: 2 });
    });

    it('a write on an old look is refused where somebody else has written, and goes through on a new one', async () => {
      const pool = await subject.pool();
      const seen = await look(pool.target);
      await pool.write('kubectl', { replicas: 2 });
      const wanted = { releaseId: releaseOf(seen, 'v1'), replicas: 3 };
      expect(await failure(subject.orchestrator.apply(pool.target, wanted, seen, options()))).toBe('conflict');
      const now = await pool.until('the other wish', ({ wanted: pods }) => pods === 2);
      expect(now.revision).toBe('v2');
      await subject.orchestrator.apply(pool.target, wanted, now, options());
      expect(await look(pool.target)).toMatchObject({ revision: 'v1', wanted: 3 });
    });

    it('a release that is brought back by somebody else is told, with the name', async () => {
      const pool = await subject.pool();
      const seen = await look(pool.target);
      const written = await write(seen, { releaseId: releaseOf(seen, 'v1'), replicas: 3 });
      await pool.until('v1 is out', (now) => state(now, written) === 'done');
      await pool.write('argocd-controller', { revision: 'v2' });
      const reverted = await pool.until('the revert', (now) => now.revision === 'v2');
      expect(conflictOf(written, reverted, ['v2'])).toMatchObject({ code: 'gitops_conflict', manager: 'argocd-controller' });
    });

    it('a release whose pods do not get ready is never out, and the pods say why', async () => {
      const pool = await subject.pool({ broken: 'v1' });
      const seen = await look(pool.target);
      const written = await write(seen, { releaseId: releaseOf(seen, 'v1'), replicas: 3 });
      const stuck = await pool.until('a pod that says why', (now) => now.pods.some((pod) => pod.revision === 'v1' && pod.reason === 'CrashLoopBackOff'));
      expect(rolledOut(stuck, { written, bad: ['v2'], nowMs: 1, deadlineMs: 1 })).toMatchObject({ state: 'failed', code: 'deadline' });
    });

    it('a pool that is paused says so', async () => {
      const pool = await subject.pool();
      await pool.write('kubectl', { paused: true });
      expect(await pool.until('paused', (now) => now.paused)).toMatchObject({ paused: true, wanted: 3 });
    });

    it('what does not exist is not found: a target, a release', async () => {
      const { target } = await subject.pool();
      const seen = await look(target);
      expect(await failure(look(subject.unknownTarget))).toBe('not_found');
      expect(await failure(subject.orchestrator.apply(target, { releaseId: 'no-such-release' }, seen, options()))).toBe('not_found');
      expect(await failure(look('not a target'))).toBe('unsupported');
    });

    it('a call that hangs ends: by its own time, and when it is interrupted', async () => {
      const { orchestrator, target } = await subject.hanging();
      expect(await failure(orchestrator.observe(target, new AbortController().signal))).toBe('timed_out');
      const interrupted = new AbortController();
      const call = failure(orchestrator.observe(target, interrupted.signal));
      interrupted.abort();
      expect(await call).toBe('timed_out');
    });

    it('who may only look is told so when it writes, and nothing is changed', async () => {
      const { orchestrator, target } = await subject.mayOnlyLook();
      const seen = await orchestrator.observe(target, options().signal);
      expect(await failure(orchestrator.apply(target, { releaseId: releaseOf(seen, 'v1'), replicas: 2 }, seen, options()))).toBe('forbidden');
      expect(await orchestrator.observe(target, options().signal)).toMatchObject({ revision: 'v2', wanted: 3, generation: seen.generation });
    });

    it('too many calls are told as such, with the time to wait where it is known', async () => {
      const seen = await look((await subject.pool()).target);
      const { orchestrator, target, retryAfterMs } = await subject.throttled();
      await expect(orchestrator.observe(target, options().signal)).rejects.toMatchObject({ code: 'throttled', retryAfterMs });
      await expect(orchestrator.apply(target, { replicas: 2 }, { ...seen, target }, options())).rejects.toMatchObject({ code: 'throttled', retryAfterMs });
    });

    if (!ofCluster) return;
    describe('as only a cluster has it', () => {
      it('an autoscaler is paused by the write that scales to zero, stays so, and is let go on by another', async () => {
        const pool = await subject.pool({ keda: true });
        const seen = await look(pool.target);
        expect(seen.scaler).toMatchObject({ kind: 'keda', min: 1, max: 9, paused: false });
        const apply = async (wanted: WorkloadWanted, more = {}) => subject.orchestrator.apply(pool.target, wanted, await look(pool.target), { ...options(), ...more });
        expect(await apply({ replicas: 0, pauseScaler: true }, { dryRun: true })).toMatchObject({ changed: true, writes: 0 });
        expect((await look(pool.target)).scaler?.paused).toBe(false);
        expect(await apply({ replicas: 0, pauseScaler: true })).toMatchObject({ changed: true, writes: 2 });
        expect(await pool.until('no pod is left', (now) => now.wanted === 0 && gone(now, null).gone)).toMatchObject({ scaler: { paused: true } });
        expect(await apply({ replicas: 0, pauseScaler: true })).toMatchObject({ changed: false, writes: 0 });
        expect(await apply({ replicas: 3, releaseId: releaseOf(seen, 'v1') })).toMatchObject({ changed: true, writes: 1 });
        expect(await apply({ pauseScaler: false })).toMatchObject({ changed: true, writes: 1 });
        expect(await apply({ pauseScaler: false })).toMatchObject({ changed: false, writes: 0 });
        expect(await look(pool.target)).toMatchObject({ wanted: 3, revision: 'v1', scaler: { paused: false } });
      });

      it('while old pods are stopping the counters call it done, and only the list of pods says that they are there', async () => {
        const pool = await subject.pool({ stopMs: 2_500 });
        const seen = await look(pool.target);
        const written = await write(seen, { releaseId: releaseOf(seen, 'v1'), replicas: 3 });
        const counted = ({ observedGeneration, updated, replicas, available }: WorkloadSeen) => observedGeneration >= written.generation && [updated, replicas, available].every((count) => count === 3);
        const early = await pool.until('the counters are as wished', counted);
        expect(early.pods.filter((pod) => pod.revision === 'v2').map((pod) => pod.terminating)).toContain(true);
        expect([state(early, written), gone(early, 'v2').gone]).toEqual(['waiting', false]);
        const after = await pool.until('the last one is gone', (now) => state(now, written) === 'done');
        expect(after.pods.map((pod) => pod.revision)).toEqual(['v1', 'v1', 'v1']);
      });

      it('a wish that nobody has read shows the counters of the one before, and a generation that says so', async () => {
        const pool = await subject.pool();
        const seen = await look(pool.target);
        const goOn = await pool.halt();
        try {
          const written = await write(seen, { releaseId: releaseOf(seen, 'v1'), replicas: 3 });
          const stale = await look(pool.target);
          expect(stale).toMatchObject({ revision: 'v1', generation: written.generation, observedGeneration: seen.generation, updated: 3, replicas: 3, available: 3 });
          expect([state(stale, written), stale.pods.map((pod) => pod.revision)]).toEqual(['waiting', ['v2', 'v2', 'v2']]);
          goOn();
          await pool.until('v1 is out', (now) => state(now, written) === 'done');
        } finally {
          goOn();
        }
      });
    });
  });
}
