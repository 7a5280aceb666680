import { faultOfReason, type Meant, type OperateJob } from '../operate/operate-job.js';
import type { OperatorOutcome } from '../operate/operator-request.js';
import type { RedriveCandidate, RedriveFilter, RedriveRun, RedriveStore } from '../ports/redrive-store.port.js';

export interface RedriveCall {
  readonly filter: RedriveFilter;
  /** How many the caller has seen; another number by now, and nothing is done. null: only count. */
  readonly count: number | null;
  readonly perSecond: number;
  readonly force: boolean;
  readonly by: string;
  readonly reason: string;
}

export type RedriveAnswer =
  | Extract<OperatorOutcome, { kind: 'refused' }>
  | { readonly kind: 'counted'; readonly found: number }
  /** The filter finds another number than the caller has seen, or nothing. */
  | { readonly kind: 'differs'; readonly found: number }
  | { readonly kind: 'started'; readonly run: RedriveRun };

/** In one transaction. */
const TOGETHER = 50;

/**
 * Sends many dead letters round again, at a rate.
 *
 *   counted ──count confirmed──► running ──every second so many──► finished
 *                                   └──────── stopped
 *
 * Each job is redriven as by hand: under its lock, with its history, a higher token and the bound on redrives; its invalidation
 * goes out before its command. What was done is noted behind each transaction, and a stop is obeyed before each, as is that
 * another replica has taken the step of one that was halted. After a kill between the two
 * it does nothing twice, and those are not counted: what was redriven is not dead any more, and what has died since the start is not
 * meant. Both are asked under the job's lock again, so a letter that somebody has discarded since it was found stays discarded.
 *
 * Clocks: lane time for what is meant; the database's for whose step it is.
 */
export class RedriveMany {
  constructor(
    private readonly store: RedriveStore,
    private readonly jobs: Pick<OperateJob, 'callAll'>,
  ) {}

  async call({ filter, count, ...run }: RedriveCall): Promise<RedriveAnswer> {
    // Counting is no act, and needs no reason.
    const fault = count === null && run.reason === '' ? null : faultOfReason(run.reason);
    if (fault !== null) return fault;
    const found = await this.store.count(filter);
    if (count === null) return { kind: 'counted', found };
    if (found === 0 || found !== count) return { kind: 'differs', found };
    const started = await this.store.start(filter, { ...run, wanted: found });
    return started === null ? { kind: 'differs', found: 0 } : { kind: 'started', run: started };
  }

  /** A second's worth of one run. Call it once a second; true: it did something. */
  async step(): Promise<boolean> {
    const step = await this.store.takeStep();
    if (step === null) return false;
    const { run, next } = step;
    for (let at = 0; at < next.length && (await this.store.goesOn(step)); at += TOGETHER) {
      await this.redrive(run, next.slice(at, at + TOGETHER));
    }
    await this.store.endStep(step, { over: next.length < run.perSecond });
    return true;
  }

  private async redrive(run: RedriveRun, candidates: readonly RedriveCandidate[]): Promise<void> {
    const upTo = candidates.at(-1);
    if (upTo === undefined) return;
    const refusals: Record<string, number> = {};
    let redriven = 0;
    for (const code of await this.codes(run, candidates)) {
      if (code === null) redriven += 1;
      else refusals[code] = (refusals[code] ?? 0) + 1;
    }
    await this.store.note(run.id, { redriven, refusals, upTo });
  }

  /** Of each why not; null: it is on its way. */
  private async codes({ by, reason, force, startedMs }: RedriveRun, candidates: readonly RedriveCandidate[]): Promise<readonly (string | null)[]> {
    const refs = candidates.map(({ ref }) => ref);
    const meant: Meant = ({ status, sinceMs }) => status === 'dead-lettered' && sinceMs <= startedMs;
    return (await this.jobs.callAll(refs, 'redrive', { by, reason, ...(force && { force }) }, meant)).map(refusalOf);
  }
}

function refusalOf(outcome: OperatorOutcome): string | null {
  switch (outcome.kind) {
    case 'done':
      return null;
    case 'conflict':
    case 'refused':
      return outcome.code;
    case 'not_found':
    case 'retired':
      return outcome.kind;
  }
}
