import type { EventResult, FactData, JobFact } from '@jobwarden/client';
import { HardTimeoutError, InvalidPayloadError } from './errors.js';
import { failureOf, type Failure } from './failure.js';
import type { Beats } from './beats/held.js';
import { sharedNowMs } from './beats/shared.js';
import type { AttemptSpan, SpanEnd } from './hooks.js';
import type { LateClaim } from './late-claim.js';
import { jobHandle, payloadOf, type Granted } from './job-handle.js';
import type { Settings } from './options.js';
import type { Handler, RunResult, RunSpec, StopReason } from './spec.js';
import { GIVEN_UP, Stoppable } from './stoppable.js';
import { isTold } from './told.js';

export interface AttemptParts {
  readonly settings: Settings;
  readonly beats: Beats;
  readonly worker: FactData['started']['worker'];
  readonly spec: RunSpec;
  /** undefined: nothing is traced. */
  readonly span: AttemptSpan | undefined;
  readonly granted: Granted;
  /** A claim that nobody has answered yet: what ends meanwhile is told once it is, since the token has to go with it. */
  readonly claiming: LateClaim | null;
  /** When the last beat was sent that somebody has answered, by the shared clock, also where nobody has been told so yet. */
  readonly renewedMs: () => number;
}

/**
 * One attempt from its start to its end.
 *
 *   begun ──► decode ──► validate ──► handler ──► succeeded | failed
 *                 └── stopped (see StopReason) ──► the handler ends within the grace ──► released
 *                                              └── it does not: nobody beats for it any more, and it is left behind
 *
 * A handler that succeeds after it was stopped has succeeded: Jobwarden says whether that still counts. One that has
 * passed its hard timeout and throws has failed, and may be tried again.
 */
export class Attempt {
  private readonly stoppable: Stoppable;
  private readonly begunMs = performance.now();
  /** Beyond that nobody beats for it, also where the event loop never comes round to saying so. By the shared clock. */
  private readonly untilMs: number | undefined;
  private readonly timeoutMs: number | undefined;
  private progressSaid: unknown;
  /** When somebody last said that the lease holds, or it began. By the shared clock. */
  renewedMs = sharedNowMs();
  /** Nobody has answered the last beat. */
  renewalFailed = false;
  private payload: unknown;
  /** What the handler got. */
  private handed: object | null = null;

  constructor(private readonly parts: AttemptParts) {
    const { settings, spec } = parts;
    this.stoppable = new Stoppable(settings.stopGraceMs);
    this.timeoutMs = spec.timeoutMs ?? settings.hardTimeoutMs;
    this.untilMs = this.timeoutMs === undefined ? undefined : sharedNowMs() + this.timeoutMs + settings.stopGraceMs;
  }

  get queue(): string {
    return this.parts.spec.queue;
  }

  get id(): string {
    return this.parts.spec.id;
  }

  get attempt(): number {
    return this.parts.granted.attempt;
  }

  get granted(): Granted {
    return this.parts.granted;
  }

  stop(reason: StopReason, detail?: string): void {
    this.stoppable.stop(reason, detail);
  }

  /**
   * Stops it where nobody could be told for a whole lease that the process lives. Asked by the pulse, and whenever the handler
   * looks at its signal or its token: one that was halted goes on before any timer does.
   */
  look(): void {
    const { settings, granted, renewedMs } = this.parts;
    if (settings.onLeaseLost === 'run') return;
    if (sharedNowMs() - Math.max(this.renewedMs, renewedMs()) > granted.leaseMs) this.stop('lease-lost');
  }

  /** A claim that was late has been granted: it may be another attempt, and has a token now. */
  claimed(): void {
    this.parts.span?.granted(this.known());
    this.hold();
  }

  /** Beats for it with what is known by now. */
  hold(): void {
    const { beats, granted } = this.parts;
    const { queue, id, attempt, progressSaid: progress } = this;
    const { token, leaseMs } = granted;
    const held = { queue, id, attempt, leaseMs, ...(token !== undefined && { token }), ...(progress !== undefined && { progress }) };
    beats.hold(held, this.untilMs);
  }

  async run<P, R>(handler: Handler<P, R>): Promise<RunResult<R>> {
    const { spec, beats } = this.parts;
    const { timeoutMs } = this;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.stop('hard-timeout', `${String(timeoutMs)} ms`), timeoutMs).unref();
    const ended = () => this.stop('stop', 'by the caller');
    if (spec.signal?.aborted === true) ended();
    spec.signal?.addEventListener('abort', ended, { once: true });
    this.hold();
    try {
      return await this.traced(handler);
    } finally {
      clearTimeout(timer);
      spec.signal?.removeEventListener('abort', ended);
      beats.letGo(this);
    }
  }

  private async traced<P, R>(handler: Handler<P, R>): Promise<RunResult<R>> {
    const { span } = this.parts;
    if (span === undefined) return await this.handled(handler);
    span.granted(this.known());
    try {
      const result = await span.within(() => this.handled(handler));
      span.end(endOf(result));
      return result;
    } catch (error) {
      span.end({ outcome: 'failed', error });
      throw error;
    }
  }

  private known() {
    const { attempt, command } = this.parts.granted;
    return { attempt, kind: this.parts.spec.kind ?? command?.kind, trace: command?.trace };
  }

  private async handled<P, R>(handler: Handler<P, R>): Promise<RunResult<R>> {
    let value: R | typeof GIVEN_UP;
    try {
      value = await this.stoppable.during(this.work(handler));
    } catch (error) {
      return await this.threw(error);
    }
    if (value === GIVEN_UP) return await this.leftBehind(this.stoppable.reason ?? 'stop');
    return await this.succeeded(value);
  }

  private async work<P, R>(handler: Handler<P, R>): Promise<R> {
    const { spec, granted, span } = this.parts;
    const { signal } = this.stoppable;
    this.payload = payloadOf(spec, granted);
    this.payload = await stepOf('decode', spec.decode, this.payload);
    signal.throwIfAborted();
    this.payload = await stepOf('validate', spec.validate, this.payload);
    signal.throwIfAborted();
    const progress = (value: unknown) => this.progress(value);
    const look = () => this.look();
    const job = jobHandle<P>({ spec, granted, payload: this.payload, signal, trace: span?.trace, progress, look });
    this.handed = job;
    return await handler(job);
  }

  private progress(value: unknown): void {
    this.progressSaid = value;
    this.hold();
  }

  private async succeeded<R>(value: R): Promise<RunResult<R>> {
    const { settings, spec } = this.parts;
    if (this.handed !== null && isTold(this.handed)) {
      settings.metrics?.ended(spec.queue, 'succeeded');
      return { kind: 'succeeded', value };
    }
    const invalidates = typeof spec.invalidates === 'function' ? spec.invalidates(value) : spec.invalidates;
    const result = await this.say({ type: 'succeeded', data: { durationMs: this.durationMs(), ...(invalidates !== undefined && { invalidates }) } });
    if (result?.outcome === 'refused' && (result.code === 'superseded' || result.code === 'finished')) return { kind: 'stopped', reason: result.code };
    settings.metrics?.ended(spec.queue, 'succeeded');
    return { kind: 'succeeded', value };
  }

  private async threw<R>(error: unknown): Promise<RunResult<R>> {
    const { reason } = this.stoppable;
    if (reason === 'hard-timeout') return await this.failed(new HardTimeoutError(this.durationMs(), error));
    if (reason === null) {
      const awayMs = this.parts.spec.parks?.(error) ?? null;
      return awayMs === null ? await this.failed(error) : await this.parked(error, awayMs);
    }
    await this.say({ type: 'released', data: { reason } });
    return { kind: 'stopped', reason };
  }

  /** Its lease covers the time that it is away. A claimed one is let go: whoever takes it next has to be able to claim it. */
  private async parked<R>(error: unknown, awayMs: number): Promise<RunResult<R>> {
    const { claimed, leaseMs } = this.parts.granted;
    if (claimed) await this.say({ type: 'released', data: { reason: 'parked' } });
    else await this.say({ type: 'heartbeat', data: { leaseMs: Math.ceil(awayMs) + leaseMs } });
    return { kind: 'parked', error };
  }

  /** It may still be at work, so nobody says that it has let go. A process that drains is about to end, and its handlers with it. */
  private async leftBehind<R>(reason: StopReason): Promise<RunResult<R>> {
    const { queue, id, attempt, parts } = this;
    parts.settings.logger.warn(`the handler of ${queue}/${id}, attempt ${String(attempt)}, goes on ${String(parts.settings.stopGraceMs)} ms after it was stopped (${reason}); it is left behind`);
    if (reason === 'drain') await this.say({ type: 'released', data: { reason } });
    return { kind: 'stopped', reason };
  }

  private async failed<R>(error: unknown): Promise<RunResult<R>> {
    const { settings, spec } = this.parts;
    const failure = failureOf(error, settings.classify);
    const payloadSnapshot = this.snapshot();
    const data = { ...failure, durationMs: this.durationMs(), ...(payloadSnapshot !== undefined && { payloadSnapshot }) };
    const result = await this.say({ type: 'failed', data });
    if (result?.outcome === 'refused' && (result.code === 'superseded' || result.code === 'finished')) return { kind: 'stopped', reason: result.code };
    settings.metrics?.ended(spec.queue, 'failed');
    return { kind: 'failed', error, ...retryOf(failure) };
  }

  private snapshot(): unknown {
    const { snapshot } = this.parts.settings;
    if (snapshot === false || this.payload === undefined) return undefined;
    try {
      return snapshot(this.payload);
    } catch {
      return undefined; // the failure has to be told, with or without it
    }
  }

  private durationMs(): number {
    return Math.round(performance.now() - this.begunMs);
  }

  private async say(fact: End): Promise<EventResult | null> {
    const { settings, claiming } = this.parts;
    const time = new Date();
    if (claiming?.pending === true) {
      claiming.afterwards(() => settings.emitter.tell(this.factOf(fact, time)));
      return null;
    }
    return await settings.emitter.ask(this.factOf(fact, time), { wait: settings.onUnavailable === 'wait' });
  }

  private factOf({ type, data }: End, time: Date): JobFact {
    const { worker, granted, spec, span } = this.parts;
    const { attempt, token } = granted;
    return {
      ...{ type, queue: spec.queue, jobId: spec.id, time },
      ...span?.trace,
      data: { ...data, attempt, ...(token !== undefined && { token }), worker },
    } as JobFact;
  }
}

type End = {
  readonly [K in 'succeeded' | 'failed' | 'released' | 'heartbeat']: { readonly type: K; readonly data: FactData[K] };
}['succeeded' | 'failed' | 'released' | 'heartbeat'];

function endOf(result: RunResult): SpanEnd {
  switch (result.kind) {
    case 'succeeded':
      return { outcome: 'succeeded' };
    case 'failed':
      return { outcome: 'failed', error: result.error };
    case 'stopped':
      return { outcome: 'stopped', reason: result.reason };
    case 'refused':
      return { outcome: 'stopped', reason: result.code };
    case 'parked':
      return { outcome: 'stopped', reason: 'parked' };
  }
}

function retryOf({ retryable, retryAfterMs }: Failure) {
  return { retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

async function stepOf(step: 'decode' | 'validate', work: ((payload: unknown) => unknown) | undefined, payload: unknown): Promise<unknown> {
  if (work === undefined) return payload;
  try {
    return await work(payload);
  } catch (error) {
    throw new InvalidPayloadError(step, error);
  }
}
