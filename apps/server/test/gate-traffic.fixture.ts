import { event, type TestService } from './service.fixture.js';

export interface Traffic {
  readonly queue: string;
  readonly revision: string;
  readonly track?: string;
  readonly jobs: number;
  /** Of them. */
  readonly failed?: number;
  /** Those that failed may be tried again; false unless said. */
  readonly retryable?: boolean;
  /** Of them: nothing is heard of them after they began, and their lease is over before the next stretch. */
  readonly lost?: number;
  readonly durationMs?: number;
  readonly kind?: string;
}

const LEASE_MS = 5_000;
let jobs = 0;

/** Attempts that began and ended in the stretch in which the clock stands. */
export function endedJobs({ queue, revision, track, jobs: count, failed = 0, retryable = false, lost = 0, durationMs = 40, kind }: Traffic): readonly object[] {
  const worker = { id: `${revision}-${track ?? 'none'}`, revision, ...(track !== undefined && { track }) };
  return Array.from({ length: count }, (_, i) => {
    jobs += 1;
    const id = `gate-${String(jobs)}`;
    const end = i < failed ? event('failed', id, { queue, worker, durationMs, retryable, error: { class: 'E', message: 'no' } }) : event('succeeded', id, { queue, worker, durationMs });
    const begun = [event('queued', id, { queue, ...(kind !== undefined && { kind }) }), event('started', id, { queue, worker, leaseMs: LEASE_MS })];
    return i >= failed && i < failed + lost ? begun : [...begun, end];
  }).flat();
}

export interface Stretches {
  readonly fromMs: number;
  readonly count: number;
  readonly traffic: readonly Traffic[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same in each of so many stretches of 10 s. Answers when it is now: some seconds after the last of them is over. */
export async function during(service: TestService, { fromMs, count, traffic, headers = {} }: Stretches): Promise<number> {
  for (let i = 0; i <= count; i += 1) {
    await clockAt(service, fromMs + i * 10_000 + (i === count ? 3_000 : 0), headers);
    if (i === count) break;
    const answer = await service.call('POST', '/v1/events', { headers, body: traffic.flatMap(endedJobs) });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return fromMs + count * 10_000 + 3_000;
}

export async function clockAt(service: TestService, ms: number, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const answer = await service.call('PUT', '/v1/clock', { headers, body: { now: new Date(ms).toISOString() } });
  if (answer.status !== 200) throw new Error(answer.text);
}
