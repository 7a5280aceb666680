// The thread that beats for the process. It is loaded as a file of its own, also uncompiled, so it imports nothing beside
// types and Node's own modules, and holds nothing that would have to be erased but types.
//
//   hold / let-go ──► what is held ──every third of the shortest lease──► POST /v1/events ──► answers go back
//
// It beats only while the event loop gives signs of life, or has been silent for no longer than `maxBlockedMs`: then it is
// taken for dead, and the leases run out. The process' end is the thread's end.
import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import type { LockWait, Runtime } from '@jobwarden/client';
import type { BeatAnswers, Held } from './held.js';
import type { FromThread, ThreadData, ToThread } from './messages.js';

const { shared, namespace, worker, leaseMs, maxBlockedMs, tickMs, address: firstAddress } = workerData as ThreadData;
/** As in shared.ts. */
const PLACES = { tickMs: 0, lagMs: 1, heapUsed: 2, heapLimit: 3, poolInUse: 4, poolWaiting: 5, renewedMs: 6 };

const figures = new BigInt64Array(shared);
const held = new Map<string, { readonly held: Held; readonly untilMs: number }>();
const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };
let address = firstAddress;
let locks: readonly LockWait[] = [];
let timer: NodeJS.Timeout | undefined;
let waitsMs = Infinity;
let beating = false;

const figure = (place: number) => Number(Atomics.load(figures, place));
const now = () => Number(process.hrtime.bigint() / 1_000_000n);
const tell = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'hold':
      held.set(message.key, message);
      // Only a shorter lease moves the next beat, or many short jobs would put it off for ever.
      if (message.held.leaseMs / 3 < waitsMs) plan(message.held.leaseMs / 3);
      break;
    case 'let-go':
      held.delete(message.key);
      break;
    case 'locks':
      locks = message.waits;
      break;
    case 'address':
      address = message.address;
      break;
  }
});

function plan(ms: number): void {
  clearTimeout(timer);
  waitsMs = ms;
  timer = setTimeout(() => void beat(), ms);
}

function everyMs(): number {
  let least = leaseMs;
  for (const { held: job } of held.values()) least = Math.min(least, job.leaseMs);
  return least / 3;
}

async function beat(): Promise<void> {
  const every = everyMs();
  plan(every);
  const sentMs = now();
  const blockedMs = sentMs - figure(PLACES.tickMs) - tickMs;
  if (beating || blockedMs > maxBlockedMs) return;
  beating = true;
  try {
    const answers = await post(eventOf(sentMs, Math.max(0, blockedMs)), Math.max(1_000, every));
    // Where a loop that was blocked finds it before it comes round to what it was told.
    Atomics.store(figures, PLACES.renewedMs, BigInt(sentMs));
    tell({ kind: 'answered', sentMs, answers });
  } catch (error) {
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    plan(Math.max(200, every / 4));
  } finally {
    beating = false;
  }
}

function eventOf(atMs: number, blockedMs: number): object {
  const jobs = [...held.values()].filter(({ untilMs }) => untilMs === 0 || atMs < untilMs).map(({ held: job }) => job);
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: worker.id,
    subject: worker.id,
    type: 'jobwarden.worker.heartbeat.v1',
    time: new Date().toISOString(),
    ...(namespace !== 'default' && { namespace }),
    data: { worker, jobs, runtime: runtimeOf(blockedMs) },
  };
}

function runtimeOf(blockedMs: number): Runtime {
  const waiting = figure(PLACES.poolWaiting);
  return {
    heapUsed: figure(PLACES.heapUsed),
    heapLimit: figure(PLACES.heapLimit),
    rss: process.memoryUsage.rss(),
    loopLagMs: Math.max(blockedMs, Number(Atomics.exchange(figures, PLACES.lagMs, 0n))),
    // -1: no pool is watched.
    ...(waiting >= 0 && { poolInUse: figure(PLACES.poolInUse), poolWaiting: waiting }),
    ...(locks.length > 0 && { lockWaits: [...locks] }),
  };
}

function post(event: object, timeoutMs: number): Promise<BeatAnswers> {
  const url = new URL(address.url);
  const body = JSON.stringify([event]);
  const headers = { ...address.headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const agent = url.protocol === 'https:' ? agents['https:'] : agents['http:'];
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(answersOf(response.statusCode ?? 0, text));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    const late = setTimeout(() => sent.destroy(new Error(`no answer within ${String(timeoutMs)} ms`)), timeoutMs);
    sent.on('close', () => clearTimeout(late));
    sent.on('error', reject);
    sent.end(body);
  });
}

function answersOf(status: number, text: string): BeatAnswers {
  if (status !== 200) throw new Error(`a heartbeat was answered ${String(status)}: ${text.slice(0, 200)}`);
  const { results } = JSON.parse(text) as { readonly results?: readonly ({ readonly outcome: string; readonly detail?: string } & Partial<BeatAnswers>)[] };
  const [result] = results ?? [];
  if (result?.outcome !== 'recorded') throw new Error(`a heartbeat was ${result?.outcome ?? 'not answered'}: ${result?.detail ?? ''}`);
  return { jobs: result.jobs ?? [], refusedQueues: result.refusedQueues ?? [], evidence: result.evidence ?? null };
}

plan(everyMs());
