import { DRILL_MARK, howMany, isDrill, placeSignal, type RunAbout, verb } from '#libs/domain';
import type { Incidents } from '../incidents/incidents.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunStore } from '../ports/run-store.port.js';
import type { Signal } from '../ports/signal-store.port.js';
import type { SignalDesk } from '../signals/signal-desk.js';
import type { CauseDesk } from './collaborators.js';
import { targetOf } from './run-policy-of.js';
import type { QueuesOfRun } from './queues-of-run.js';

export interface OpenRunsParts {
  readonly signals: Pick<SignalDesk, 'open' | 'assign' | 'settle'>;
  readonly incidents: Pick<Incidents, 'open' | 'openOnes'>;
  readonly runs: Pick<RunStore, 'nowMs' | 'queues' | 'lastActedMs'>;
  readonly queuesOf: QueuesOfRun;
  readonly causes: Pick<CauseDesk, 'assessed'>;
  readonly policies: PolicySource;
  /** For the log. Must not throw. */
  readonly suppressed?: (subject: string, signals: readonly Signal[], untilMs: number) => void;
}

/** What one incident is opened for, or joined by. */
interface Group {
  readonly subject: string;
  readonly target: string | null;
  readonly signals: readonly Signal[];
}

/** Before the first signal, so that what was is seen beside what is. */
const CAUSE_BEFORE_MS = 300_000;
/** Queues without a target whose cause is looked for in one look. */
const ASSESSED_AT_ONCE = 400;
const NAMED_QUEUES = 20;

/**
 * Incidents out of signals: one for each target; of queues without one, one for each namespace, cause and what is to blame.
 * What is open takes every further signal; within the cool-down of a target a new one is put off, and looked at anew after it.
 * To be called by one replica at a time. A kill between two of its writes repeats what is harmless to repeat.
 */
export class OpenRuns {
  constructor(private readonly parts: OpenRunsParts) {}

  /** Answers whether anything was opened or joined. */
  async step(): Promise<boolean> {
    const signals = await this.parts.signals.open();
    if (signals.length === 0) return false;
    const open = new Map((await this.parts.incidents.openOnes('saturation')).map(({ id, subject }) => [subject, id]));
    const groups = await this.grouped(signals, open);
    for (const group of groups) await this.place(group, open);
    return groups.length > 0;
  }

  private async grouped(signals: readonly Signal[], open: ReadonlyMap<string, string>): Promise<readonly Group[]> {
    const inRuns = await this.queuesInRuns(open);
    const groups = new Map<string, { target: string | null; signals: Signal[] }>();
    const subjects = new Map<string, string>();
    for (const signal of signals) {
      const target = targetOf(this.parts.policies, signal);
      const key = keyOf(signal);
      // Each by itself: two drills at once are two incidents, and a drill joins no other.
      const known = isDrill(signal) ? `drill/${signal.fingerprint}` : target ?? inRuns.get(key) ?? subjects.get(key);
      if (known === undefined && subjects.size >= ASSESSED_AT_ONCE) continue;
      const subject = known ?? (await this.subjectOf(signal));
      if (!isDrill(signal)) subjects.set(key, subject);
      const group = groups.get(subject) ?? { target, signals: [] };
      group.signals.push(signal);
      groups.set(subject, group);
    }
    return [...groups].map(([subject, group]) => ({ subject, ...group }));
  }

  /** A queue that is in a run is that run's, whatever its cause looks like by now. */
  private async queuesInRuns(open: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [subject, id] of open) {
      for (const queue of await this.parts.runs.queues(id)) if (queue.saturated) found.set(keyOf(queue), subject);
    }
    return found;
  }

  private async subjectOf(signal: Signal): Promise<string> {
    const assessed = await this.parts.causes.assessed([signal], signal.seenMs - CAUSE_BEFORE_MS);
    const { cause, subject } = assessed?.assessment ?? { cause: 'unknown', subject: null };
    return [signal.namespace, cause, ...(subject === null ? [] : [subject])].join('/');
  }

  private async place({ subject, target, signals }: Group, open: ReadonlyMap<string, string>): Promise<void> {
    const { runs, incidents, queuesOf, policies } = this.parts;
    const [first] = signals;
    if (first === undefined) return;
    const ids = signals.map(({ id }) => id);
    const nowMs = await runs.nowMs();
    const { coolDownMs } = policies.policyFor(first, null).policy.rollback;
    const placement = placeSignal({ openIncidentId: open.get(subject) ?? null, lastActedMs: await runs.lastActedMs(subject), coolDownMs }, nowMs);
    if (placement.kind === 'suppressed') {
      await this.parts.signals.settle(ids, placement.why, placement.untilMs);
      this.parts.suppressed?.(subject, signals, placement.untilMs);
      return;
    }
    const { incident } = await incidents.open('saturation', subject, { reason: saidOf(signals), evidence: { ...aboutOf(signals, target), signals: ids.slice(0, NAMED_QUEUES) } });
    await queuesOf.join(incident.id, target, signals);
    await this.parts.signals.assign(ids, incident.id);
  }
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
