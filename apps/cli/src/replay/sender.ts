import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ServiceClient } from '../rest/client.js';
import type { Batch } from './batches.js';

/** How the service answered all events so far. */
export class Tally {
  events = 0;
  appended = 0;
  duplicate = 0;
  readonly notTaken = new Map<string, number>();
  /** The first of them, by line. */
  readonly examples: { readonly line: number; readonly code: string; readonly detail: string }[] = [];

  get notTakenCount(): number {
    return [...this.notTaken.values()].reduce((sum, count) => sum + count, 0);
  }

  add(batch: Batch, results: readonly ResultLine[]): void {
    const byIndex = new Map(results.map((result, at) => [result.index ?? at, result]));
    for (const [i, { line }] of batch.events.entries()) {
      const result = byIndex.get(i) ?? { outcome: 'not answered' };
      this.events += 1;
      if (result.outcome === 'appended') this.appended += 1;
      else if (result.outcome === 'duplicate') this.duplicate += 1;
      else this.missed(line, result);
    }
  }

  private missed(line: number, { outcome, code, detail }: ResultLine): void {
    const why = `${outcome}${code === undefined ? '' : ` ${code}`}`;
    this.notTaken.set(why, (this.notTaken.get(why) ?? 0) + 1);
    if (this.examples.length < 20) this.examples.push({ line, code: why, detail: detail ?? '' });
  }
}

interface ResultLine {
  readonly index?: number;
  readonly outcome: string;
  readonly code?: string;
  readonly detail?: string;
}

export interface SenderOptions {
  /** How long a batch is tried again while the service is away, once it has answered before, ms. */
  readonly patienceMs: number;
  /** Sets the service's manual clock to each batch's time before it is sent. */
  readonly driveClock: boolean;
  readonly signal: AbortSignal;
  /** Waits between two tries. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type Sent = { readonly kind: 'sent' } | Exclude<Answer, { kind: 'ok' }>;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** Stops of the clock on the way to one batch. */
const MAX_STOPS = 10_000;

/**
 * Sends batches one after the other, so that the order of the history is the order of the log. An answer that does not
 * come is no answer: the batch goes again, and what was stored the first time is a duplicate the second.
 */
export class Sender {
  readonly tally = new Tally();
  private answered = false;

  constructor(
    private readonly client: ServiceClient,
    private readonly options: SenderOptions,
  ) {}

  async send(batch: Batch): Promise<Sent> {
    if (this.options.driveClock) {
      const clock = await this.patiently(() => this.moveClock(batch));
      if (clock.kind !== 'ok') return clock;
    }
    const answer = await this.patiently(() =>
      this.client.send('v1/events', {
        method: 'POST',
        contentType: 'application/cloudevents-batch+json',
        body: batch.body,
      }),
    );
    if (answer.kind !== 'ok') return answer;
    const { results } = answer.body as { readonly results?: readonly ResultLine[] };
    this.tally.add(batch, results ?? []);
    return { kind: 'sent' };
  }

  /**
   * Moves the clock to the batch's time, with a look by the reconciler wherever something falls due on the way. A clock
   * that is ahead already stays there: this history was replayed before.
   */
  private async moveClock(batch: Batch): Promise<Answer> {
    const wanted = new Date(batch.events.at(-1)?.atMs ?? 0).toISOString();
    let before = '';
    for (let stops = 0; ; stops += 1) {
      const answer = await this.put('v1/clock', { now: wanted, untilDue: stops < MAX_STOPS });
      if (answer.kind === 'problem' && answer.code === 'clock_goes_back')
        return { kind: 'ok', status: 200, body: null };
      if (answer.kind !== 'ok') return answer;
      const { now } = answer.body as { readonly now: string };
      if (now === wanted || Date.parse(now) >= Date.parse(wanted)) return answer;
      // What is held (by quarantine, by the stop switch) stays due however often it is looked at: go past it.
      if (now === before) stops = MAX_STOPS;
      before = now;
      const looked = await this.client.send('v1/reconciliations', {
        method: 'POST',
        contentType: 'application/json',
        body: '{}',
      });
      if (looked.kind !== 'ok') return looked;
    }
  }

  private async put(path: string, body: object): Promise<Answer> {
    return await this.client.send(path, { method: 'PUT', contentType: 'application/json', body: JSON.stringify(body) });
  }

  private async patiently(call: () => Promise<Answer>): Promise<Answer> {
    const wait = this.options.wait ?? ((ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined));
    let waited = 0;
    for (let pauseMs = FIRST_WAIT_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_WAIT_MS)) {
      const answer = await call();
      if (answer.kind === 'ok') this.answered = true;
      // Nothing was ever heard from there: more likely a wrong address than a restart.
      if (!mayPass(answer) || !this.answered || waited >= this.options.patienceMs || this.options.signal.aborted)
        return answer;
      const ms = (answer.kind === 'problem' ? answer.retryAfterMs : null) ?? pauseMs;
      await wait(ms, this.options.signal);
      waited += ms;
    }
  }
}

function mayPass(answer: Answer): boolean {
  return answer.kind === 'unreachable' || (answer.kind === 'problem' && [429, 502, 503, 504].includes(answer.status));
}
