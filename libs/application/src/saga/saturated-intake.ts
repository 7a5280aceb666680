import { JOBWARDEN, type IntakeLook } from '#libs/domain';
import type { QueueGates } from '../operate/queue-gates.js';
import type { OutcomeStore } from '../ports/outcome-store.port.js';
import type { GateChange, QueueGate } from '../ports/queue-gate-store.port.js';
import type { RunAt, RunQueue, RunStore } from '../ports/run-store.port.js';

export interface SaturatedIntakeParts {
  readonly runs: Pick<RunStore, 'queues' | 'hold' | 'letGo' | 'toDrive'>;
  readonly gates: Pick<QueueGates, 'of' | 'refresh' | 'setFor'>;
  readonly outcomes: Pick<OutcomeStore, 'rates'>;
}

/** What is normal is counted over an hour, which ends some time before the incident began. */
const NORMAL_FOR_MS = 3_600_000;
const NORMAL_UNTIL_MS = 600_000;
/** Claims a second: what nobody knows the normal rate of, and the least that lets anything be seen. */
const UNKNOWN_NORMAL = 10;
const LEAST_PER_SECOND = 0.2;

/**
 * How much the queues of a run let in:
 *
 *   as before ── set share ──► throttled to a share of what is normal ── set share ──► … ── lift ──► as before
 *
 * What was before is kept before the gate is touched, so a kill loses none of it. A gate that a person has set meanwhile is
 * the person's: it is neither loosened nor lifted, and it is what stands again at the end. All calls may be repeated. Who was
 * halted in one, and wakes when the run has gone on or the gate is another, changes nothing any more.
 */
export class SaturatedIntake {
  constructor(private readonly parts: SaturatedIntakeParts) {}

  async look(incidentId: string): Promise<IntakeLook> {
    const queues = (await this.parts.runs.queues(incidentId)).filter((queue) => queue.saturated);
    const shares = new Set(queues.map((queue) => queue.sharePercent));
    const [share = null] = shares;
    const gates = queues.map((queue) => queue.before?.gate ?? this.parts.gates.of(queue)?.gate ?? 'open');
    return {
      queues: queues.length,
      percent: shares.size === 1 ? share : null,
      throttled: queues.filter((queue) => queue.sharePercent !== null).length,
      before: Object.fromEntries([...Map.groupBy(gates, (gate) => gate)].map(([gate, all]) => [gate, all.length])),
    };
  }

  /** Answers the rates by queue, of the first few. */
  async setShare(run: RunAt, percent: number, openedMs: number): Promise<Readonly<Record<string, unknown>>> {
    const { runs, gates } = this.parts;
    const { incidentId } = run;
    await gates.refresh();
    const queues = (await runs.queues(incidentId)).filter((queue) => queue.saturated);
    const normals = await this.normals(queues, openedMs);
    const rates: Record<string, number> = {};
    for (const queue of queues) {
      const gate = gates.of(queue);
      const normalPerSecond = queue.normalPerSecond ?? normals.get(keyOf(queue)) ?? UNKNOWN_NORMAL;
      const before = await this.beforeOf(gate, queue, incidentId);
      const perSecond = rateOf(normalPerSecond, percent, before);
      if (!(await runs.hold(run, queue, { before, normalPerSecond, sharePercent: percent }))) break;
      if (maySet(gate, incidentId, perSecond)) {
        const reason = `incident ${incidentId}: ${String(percent)} % of what is normal`;
        await gates.setFor(run, gate, { namespace: queue.namespace, queue: queue.queue, gate: 'throttled', perSecond, reason, by: byOf(incidentId) });
      }
      if (Object.keys(rates).length < SHOWN) rates[queue.queue] = perSecond;
    }
    return { perSecond: rates, queues: queues.length };
  }

  /** As it was before, where it is still as the run has set it. */
  async lift(run: RunAt): Promise<Readonly<Record<string, unknown>>> {
    const { runs, gates } = this.parts;
    const { incidentId } = run;
    await gates.refresh();
    const others = await this.heldByOthers(incidentId);
    const left: string[] = [];
    let lifted = 0;
    for (const queue of await runs.queues(incidentId)) {
      if (queue.sharePercent === null || queue.before === null) continue;
      const { namespace, queue: name, before } = queue;
      const gate = gates.of(queue);
      const as = others.get(keyOf(queue)) ?? { ...before, reason: `incident ${incidentId}: as before`, by: JOBWARDEN };
      if (gate?.by === byOf(incidentId) && (await gates.setFor(run, gate, { namespace, queue: name, ...as }))) lifted += 1;
      else left.push(name);
      await runs.letGo(run, queue);
    }
    return { lifted, ...(left.length > 0 && { setByOthers: left.slice(0, SHOWN) }) };
  }

  /** What other runs that go on let in of queues that they hold back. */
  private async heldByOthers(incidentId: string): Promise<ReadonlyMap<string, Pick<GateChange, 'gate' | 'perSecond' | 'reason' | 'by'>>> {
    const { runs } = this.parts;
    const found = new Map<string, Pick<GateChange, 'gate' | 'perSecond' | 'reason' | 'by'>>();
    for (const { id, open } of await runs.toDrive()) {
      if (id === incidentId || !open) continue;
      for (const queue of await runs.queues(id)) {
        if (queue.sharePercent === null || queue.before?.gate === 'paused') continue;
        const perSecond = rateOf(queue.normalPerSecond ?? UNKNOWN_NORMAL, queue.sharePercent, queue.before);
        found.set(keyOf(queue), { gate: 'throttled', perSecond, reason: `incident ${id}: ${String(queue.sharePercent)} % of what is normal`, by: byOf(id) });
      }
    }
    return found;
  }

  /** As somebody else than a run has it: as it is now, or, where a run holds it back, as it was before that. */
  private async beforeOf(gate: QueueGate | null, queue: RunQueue, incidentId: string): Promise<NonNullable<RunQueue['before']>> {
    if (gate === null) return OPEN;
    if (!gate.by.startsWith(BY_INCIDENT)) return { gate: gate.gate, perSecond: gate.perSecond };
    const id = gate.by.slice(BY_INCIDENT.length);
    if (id === incidentId) return queue.before ?? OPEN;
    const others = await this.parts.runs.queues(id);
    return others.find((other) => keyOf(other) === keyOf(queue))?.before ?? OPEN;
  }

  private async normals(queues: readonly RunQueue[], openedMs: number): Promise<ReadonlyMap<string, number>> {
    const unknown = queues.filter((queue) => queue.normalPerSecond === null);
    if (unknown.length === 0) return new Map();
    const untilMs = openedMs - NORMAL_UNTIL_MS;
    const rates = await this.parts.outcomes.rates({ sinceMs: untilMs - NORMAL_FOR_MS, untilMs, queues: unknown });
    const started = rates.filter(({ counts }) => counts.started > 0);
    return new Map(started.map((rate) => [keyOf(rate), rate.counts.started / (NORMAL_FOR_MS / 1_000)]));
  }
}

/** Queues that are named one by one. */
const SHOWN = 20;

/** Claims a second: no more than were let in before. */
function rateOf(normalPerSecond: number, percent: number, before: RunQueue['before']): number {
  return Math.min(Math.max(LEAST_PER_SECOND, (normalPerSecond * percent) / 100), before?.perSecond ?? Infinity);
}

/** A person who has paused it, or lets in less, knows why. */
function maySet(gate: QueueGate | null, incidentId: string, perSecond: number): boolean {
  if (gate === null || gate.gate === 'open' || gate.by === byOf(incidentId)) return true;
  return gate.gate === 'throttled' && (gate.perSecond ?? 0) > perSecond;
}

const OPEN = { gate: 'open', perSecond: null } as const;
const BY_INCIDENT = 'jobwarden:incident/';

function byOf(incidentId: string): string {
  return `${BY_INCIDENT}${incidentId}`;
}

function keyOf({ namespace, queue }: Pick<RunQueue, 'namespace' | 'queue'>): string {
  return `${namespace}\0${queue}`;
}
