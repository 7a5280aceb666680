import type { Writer } from '#libs/domain';
import { podName, type SimulatedPod, type SimulatedPool } from './pool.js';

/** Steps lie at whole multiples of this, so what becomes of a pool does not depend on when it is looked at. */
const TICK_MS = 100;
/** After so long without a wish nothing moves any more. */
const SETTLED_MS = 3_600_000;

/** The pool at a later time. A new wish is read after a while; then pods are started and stopped as a rolling update does. */
export function stepTo(pool: SimulatedPool, nowMs: number): SimulatedPool {
  let at = pool;
  const from = Math.max(pool.steppedMs, nowMs - SETTLED_MS);
  for (let ms = (Math.floor(from / TICK_MS) + 1) * TICK_MS; ms <= nowMs; ms += TICK_MS) at = { ...tick(at, ms), steppedMs: ms };
  return at;
}

/** Another wish, and who wrote it. The same wish again changes nothing. */
export function wish(pool: SimulatedPool, wanted: { release?: string; replicas?: number; paused?: boolean }, by: Writer): SimulatedPool {
  const { release = pool.release, replicas = pool.replicas, paused = pool.paused } = wanted;
  if (release === pool.release && replicas === pool.replicas && paused === pool.paused) return pool;
  const releases = [...pool.releases.filter((one) => one.id === release), ...pool.releases.filter((one) => one.id !== release)];
  const writers = {
    release: release === pool.release ? pool.writers.release : by,
    replicas: replicas === pool.replicas ? pool.writers.replicas : by,
  };
  return { ...pool, release, replicas, paused, releases, writers, generation: pool.generation + 1, wishedMs: by.atMs ?? pool.wishedMs };
}

function tick(pool: SimulatedPool, ms: number): SimulatedPool {
  return withoutStopped(rolled(read(scaledBack(reverted(pool, ms), ms), ms), ms), ms);
}

function reverted(pool: SimulatedPool, ms: number): SimulatedPool {
  const { reverts, release, wishedMs } = pool;
  if (reverts === null || reverts.times <= 0 || release === reverts.release || ms < wishedMs + reverts.afterMs) return pool;
  return { ...wish(pool, { release: reverts.release }, { manager: reverts.manager, atMs: ms }), reverts: { ...reverts, times: reverts.times - 1 } };
}

/** KEDA brings a pool back from zero unless it is paused; an HPA does not. */
function scaledBack(pool: SimulatedPool, ms: number): SimulatedPool {
  const { scaler, replicas } = pool;
  if (scaler?.kind !== 'keda' || scaler.paused || replicas > 0) return pool;
  return wish(pool, { replicas: Math.max(1, scaler.min) }, { manager: 'keda-operator', atMs: ms });
}

function read(pool: SimulatedPool, ms: number): SimulatedPool {
  if (ms < pool.wishedMs + pool.timing.readMs) return pool;
  const { generation, release, replicas } = pool;
  return { ...pool, observed: { generation, release, replicas } };
}

export function isReady(pool: SimulatedPool, pod: SimulatedPod, ms: number): boolean {
  const revision = pool.releases.find((one) => one.id === pod.release)?.revision ?? '';
  return !pool.broken.includes(revision) && ms >= pod.startedMs + pool.timing.startMs;
}

/** A quarter more, none less: what a Deployment of a few pods does unless told otherwise. */
function rolled(pool: SimulatedPool, ms: number): SimulatedPool {
  const { release, replicas } = pool.observed;
  if (pool.paused) return pool;
  const running = pool.pods.filter((pod) => pod.stoppingMs === null);
  const wished = running.filter((pod) => pod.release === release);
  const old = running.filter((pod) => pod.release !== release);
  const room = replicas === 0 ? 0 : replicas + Math.ceil(replicas / 4) - running.length;
  const more = Math.max(0, Math.min(room, replicas - wished.length));
  const started = Array.from({ length: more }, (_, i) => ({ name: podName(pool.podsMade + i), release, startedMs: ms, stoppingMs: null }));
  const spare = running.filter((pod) => isReady(pool, pod, ms)).length - (replicas - Math.floor(replicas / 4));
  const [unready, ready] = [old.filter((pod) => !isReady(pool, pod, ms)), old.filter((pod) => isReady(pool, pod, ms))];
  const ends = new Set([...unready, ...ready.slice(0, Math.max(0, spare)), ...wished.slice(replicas)].map((pod) => pod.name));
  const pods = pool.pods.map((pod) => (ends.has(pod.name) ? { ...pod, stoppingMs: ms } : pod));
  return { ...pool, pods: [...pods, ...started], podsMade: pool.podsMade + more };
}

function withoutStopped(pool: SimulatedPool, ms: number): SimulatedPool {
  const left = pool.pods.filter((pod) => pod.stoppingMs === null || ms < pod.stoppingMs + pool.timing.stopMs);
  return left.length === pool.pods.length ? pool : { ...pool, pods: left };
}
