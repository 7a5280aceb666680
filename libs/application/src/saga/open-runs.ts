import { actedThere, DRILL_MARK, howMany, isDrill, isThin, placeSignal, verb, type ActedRun, type RunAbout, type SignalPlacement } from '#libs/domain';
import type { Incidents } from '../incidents/incidents.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueueName, RunStore } from '../ports/run-store.port.js';
import type { Signal } from '../ports/signal-store.port.js';
import type { SignalDesk } from '../signals/signal-desk.js';
import type { CauseCases, CommonCauses } from './collaborators.js';
import { iso } from '../views/time.js';
import { targetOf } from './run-policy-of.js';
import type { QueuesOfRun } from './queues-of-run.js';

export interface OpenRunsParts {
  readonly signals: Pick<SignalDesk, 'open' | 'assign' | 'settle'>;
  readonly incidents: Pick<Incidents, 'openOn' | 'openOnes'>;
  readonly runs: Pick<RunStore, 'nowMs' | 'queues' | 'acted'>;
  readonly queuesOf: QueuesOfRun;
  readonly causes: CommonCauses;
  readonly policies: PolicySource;
  /** For the log. Must not throw. */
  readonly suppressed?: (subject: string, signals: readonly Signal[], why: string) => void;
}

/** What one incident is opened for, or joined by. */
interface Group {
  readonly subject: string;
  readonly target: string | null;
  readonly signals: readonly Signal[];
}

interface PutOff {
  readonly signal: Signal;
  readonly placement: Extract<SignalPlacement, { readonly kind: 'suppressed' }>;
}

/** Before the first signal, so that what was is seen beside what is. */
const CAUSE_BEFORE_MS = 300_000;
/** Queues without a target whose cause is looked for in one look; the others wait for the next one. */
const PLACED_AT_ONCE = 200;
const NAMED_QUEUES = 20;

/**
 * Incidents out of signals: one for each target; of queues without one, one for each namespace, cause and what is to blame.
 * What is open takes every further signal; within the cool-down after a run that acted there, or would have, a new one is put off,
 * with the reason, and looked at anew after it, or each minute where it goes by its cause, or once where that does not show at first.
 * Where one of several may open, it takes all.
 * To be called by one replica at a time; who was halted in it, and is not alone any more, opens nothing for signals that others
 * have taken up since. A kill between two of its writes repeats what is harmless to repeat.
 */
export class OpenRuns {
  constructor(private readonly parts: OpenRunsParts) {}

  /** Answers whether anything was opened or joined. */
  async step(): Promise<boolean> {
    const signals = await this.parts.signals.open();
    if (signals.length === 0) return false;
    const open = new Map((await this.parts.incidents.openOnes('saturation')).map(({ id, subject }) => [subject, id]));
    const nowMs = await this.parts.runs.nowMs();
    const acted = await this.parts.runs.acted(nowMs - Math.max(...signals.map((signal) => this.coolDownMs(signal))));
    const queuesOf = await this.queuesInRuns(open);
    const inRuns = new Map([...queuesOf].flatMap(([subject, queues]) => queues.map((queue) => [keyOf(queue), subject] as const)));
    const known = (signal: Signal): string | undefined =>
      // Each by itself: two drills at once are two incidents, and a drill joins no other.
      isDrill(signal) ? `drill/${signal.fingerprint}` : (targetOf(this.parts.policies, signal) ?? inRuns.get(keyOf(signal)));
    // Before any cause is looked for: a look may take long, or fail, and what has a target needs none.
    const sure = this.grouped(signals, known);
    for (const group of sure) await this.place(group, open, acted);
    const placed = await this.placedByCause(signals.filter((signal) => known(signal) === undefined), casesOf(queuesOf, acted));
    const others = this.grouped(signals, (signal) => (known(signal) === undefined ? placed.get(`${signal.namespace}/${signal.queue}`) : undefined));
    for (const group of others) await this.place(group, open, acted);
    return sure.length + others.length > 0;
  }

  private grouped(signals: readonly Signal[], subjectOf: (signal: Signal) => string | undefined): readonly Group[] {
    const groups = new Map<string, { target: string | null; signals: Signal[] }>();
    for (const signal of signals) {
      const subject = subjectOf(signal);
      if (subject === undefined) continue;
      const group = groups.get(subject) ?? { target: targetOf(this.parts.policies, signal), signals: [] };
      group.signals.push(signal);
      groups.set(subject, group);
    }
    return [...groups].map(([subject, group]) => ({ subject, ...group }));
  }

  /** A queue that is in a run is that run's, whatever its cause looks like by now. */
  private async queuesInRuns(open: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, readonly RunQueueName[]>> {
    const found = new Map<string, readonly RunQueueName[]>();
    for (const [subject, id] of open) found.set(subject, (await this.parts.runs.queues(id)).filter(({ saturated }) => saturated));
    return found;
  }

  /** Of all of them at once: what one of them alone says little of, others say, and no two words for one outage are two incidents. */
  private async placedByCause(signals: readonly Signal[], cases: CauseCases['cases']): Promise<ReadonlyMap<string, string>> {
    const queues = [...new Map(signals.map((signal) => [keyOf(signal), signal])).values()].slice(0, PLACED_AT_ONCE);
    if (queues.length === 0) return new Map();
    return await this.parts.causes.common(queues, { cases, sinceMs: Math.min(...queues.map(({ seenMs }) => seenMs)) - CAUSE_BEFORE_MS });
  }

  private coolDownMs(queue: RunQueueName): number {
    return this.parts.policies.policyFor(queue, null).policy.rollback.coolDownMs;
  }

  private async place({ subject, target, signals }: Group, open: ReadonlyMap<string, string>, acted: readonly ActedRun[]): Promise<void> {
    const { runs, incidents, queuesOf } = this.parts;
    const ids = signals.map(({ id }) => id);
    const nowMs = await runs.nowMs();
    const placements = signals.map((signal) => {
      const there = { namespace: signal.namespace, queue: signal.queue, target: targetOf(this.parts.policies, signal), subject };
      const went = { acted: actedThere(there, acted), coolDownMs: this.coolDownMs(signal) };
      const circumstances = { openIncidentId: open.get(subject) ?? null, ...went, byCause: there.target !== subject, thinSinceMs: isThin(there) ? signal.seenMs : null };
      return { signal, placement: placeSignal(circumstances, nowMs) };
    });
    const putOff = placements.flatMap(({ signal, placement }) => (placement.kind === 'suppressed' ? [{ signal, placement }] : []));
    if (putOff.length === signals.length) {
      await this.putOff(subject, putOff);
      return;
    }
    const told = { reason: saidOf(signals), evidence: { ...aboutOf(signals, target), signals: ids.slice(0, NAMED_QUEUES) } };
    const opened = await incidents.openOn({ rests: 'on-signals', ids }, 'saturation', subject, told);
    // Others have taken them up meanwhile, or put them off.
    if (opened === null) return;
    await queuesOf.join(opened.incident.id, target, signals);
    await this.parts.signals.assign(ids, opened.incident.id);
  }

  /** Each by its own cool-down and its own run. */
  private async putOff(subject: string, all: readonly PutOff[]): Promise<void> {
    for (const same of Map.groupBy(all, ({ placement: { says, untilMs, looksMs } }) => `${says}\0${String(untilMs)}\0${String(looksMs)}`).values()) {
      const [first] = same;
      if (first === undefined) continue;
      const { why, says, untilMs, looksMs } = first.placement;
      const detail = `${says}: nothing is opened${looksMs < untilMs ? ' for the same cause' : ''} until ${iso(untilMs)}`;
      const signals = same.map(({ signal }) => signal);
      await this.parts.signals.settle(signals.map(({ id }) => id), why, { ms: looksMs, detail });
      this.parts.suppressed?.(subject, signals, detail);
    }
  }
}

/** One that is over stands for what comes back of it within its cool-down. */
function casesOf(open: ReadonlyMap<string, readonly RunQueueName[]>, acted: readonly ActedRun[]): CauseCases['cases'] {
  const over = new Set(acted.map(({ subject }) => subject).filter((subject) => !open.has(subject)));
  return [...[...open].map(([subject, queues]) => ({ subject, open: true, queues })), ...[...over].map((subject) => ({ subject, open: false, queues: [] }))];
}

function aboutOf(signals: readonly Signal[], target: string | null): RunAbout {
  const queues = [...new Set(signals.map(({ queue }) => queue))].sort();
  const namespace = signals[0]?.namespace ?? 'default';
  return { target, namespace, queues: queues.slice(0, NAMED_QUEUES), queueCount: queues.length, source: 'signal', revision: null, ...markOf(signals) };
}

function markOf(signals: readonly Signal[]): Pick<RunAbout, 'dryRun' | 'drill'> {
  return signals.some(isDrill) ? { dryRun: true, drill: true } : { dryRun: false };
}

/** For the page. */
function saidOf(signals: readonly Signal[]): string {
  if (signals.some(isDrill)) return `${DRILL_MARK}: nothing is wrong and nothing will be done; this page shows that pages arrive`;
  const queues = [...new Set(signals.map(({ queue }) => queue))].sort();
  const [first = '', ...others] = queues;
  const worst = signals.reduce((a, b) => ((b.figures['ratio'] ?? 0) > (a.figures['ratio'] ?? 0) ? b : a));
  const { ratio, unprocessed } = worst.figures;
  const share = ratio === undefined ? '' : `: ${String(Math.round(ratio * 100))} % of its attempts fail`;
  const waiting = unprocessed === undefined ? '' : `, ${howMany(unprocessed, 'job')} ${verb(unprocessed, 'waits', 'wait')}`;
  return others.length === 0 ? `${first} is saturated${share}${waiting}` : `${howMany(queues.length, 'queue')} are saturated, such as ${worst.queue}${share}${waiting}`;
}

function keyOf({ namespace, queue }: { readonly namespace: string; readonly queue: string }): string {
  return `${namespace}\0${queue}`;
}
