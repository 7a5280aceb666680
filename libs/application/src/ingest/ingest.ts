import {
  parseEvent,
  quarantined,
  type IngestResult,
  type ParseContext,
  type EventText,
  type ParsedEvent,
  type ParsedFact,
  type ParsedHeartbeat,
  type ParsedQueueState,
  type ParsedWorkerHeartbeat,
  type Unparsed,
} from '#libs/contracts';
import type { Lane } from '../ports/log-store.port.js';
import type { QuarantineDraft, QuarantineStore } from '../ports/quarantine-store.port.js';
import type { EvidenceDesk } from '../evidence/evidence-desk.js';
import type { RevisionGate } from '../ports/revision-gate.port.js';
import type { QueueStateStore } from '../ports/queue-state-store.port.js';
import { factItem, type FactItem, type FactOutcome } from './fact-item.js';
import { REFUSALS } from './fold-facts.js';
import type { BeatState, Heartbeats } from './heartbeats.js';

/** What ingest needs. `facts` is shared by all callers over HTTP: that is what makes a group of them. */
export interface IngestParts {
  readonly facts: { submit(items: readonly FactItem[]): Promise<readonly FactOutcome[]> };
  readonly heartbeats: Heartbeats;
  readonly quarantine: QuarantineStore;
  readonly queueStates: QueueStateStore;
  readonly context: () => ParseContext;
  /** Asks workers for what they know of themselves, where they are answered. Default: none is. */
  readonly evidence?: Pick<EvidenceDesk, 'wanted'>;
  /** Tells workers whose release is out of service, where they are answered. Default: none is. */
  readonly revisions?: RevisionGate;
  readonly workerKey: (namespace: string, worker: ParsedWorkerHeartbeat['worker']) => string;
}

export interface IngestOptions {
  readonly lane: Lane;
  /** Shown in quarantine: `http`, or topic, partition and offset. */
  readonly origin: string | ((index: number) => string);
  /** The broker's append times, ms, in the order of the events. Default: the lane time of the transaction. */
  readonly timesMs?: readonly (number | null)[];
  /** Namespaces that the caller may write to; null: all. */
  readonly namespaces: readonly string[] | null;
  /** What each event was read from, where that is known: its bodies are then kept byte for byte. */
  readonly texts?: readonly (EventText | undefined)[];
}

/**
 * The way in: parses, appends facts, records heartbeats, keeps what cannot be stored. Answers each event, in order;
 * what it answers `appended`, `duplicate`, `recorded` or `quarantined` is committed. Throws RetryableError when the
 * database is away: nothing of the call is then certain, and it may be repeated as it is.
 */
export class Ingest {
  constructor(private readonly parts: IngestParts) {}

  async ingest(inputs: readonly unknown[], options: IngestOptions): Promise<readonly IngestResult[]> {
    const context = this.parts.context();
    return await this.take(inputs, inputs.map((input, i) => parseEvent(input, context, options.texts?.[i])), options);
  }

  /** What is parsed already. `inputs`: what it was parsed from, which quarantine keeps. */
  async take(
    inputs: readonly unknown[],
    parsed: readonly ParsedEvent[],
    options: IngestOptions,
  ): Promise<readonly IngestResult[]> {
    const results: (IngestResult | undefined)[] = parsed.map((event, index) => forbidden(event, index, options));
    const open = <K extends ParsedEvent>(is: (event: ParsedEvent) => event is K): Indexed<K>[] =>
      parsed.flatMap((event, index) => (results[index] === undefined && is(event) ? [{ index, event }] : []));

    await this.facts(open(isFact), results, inputs, options);
    await this.beats(open(isHeartbeat), results, options);
    for (const { index, event } of open(isWorkerHeartbeat)) {
      results[index] = await this.workerBeat(index, event, options);
    }
    await this.queueStates(open(isQueueState), results);
    await this.unparsed(open(isUnparsed), results, options);
    return results.map((result, index) => result ?? { index, id: null, outcome: 'refused', code: 'not_answered' });
  }

  private async facts(
    facts: readonly Indexed<ParsedFact>[],
    results: (IngestResult | undefined)[],
    inputs: readonly unknown[],
    options: IngestOptions,
  ): Promise<void> {
    const timeOf = (index: number) => options.timesMs?.[index] ?? null;
    const outcomes = await this.parts.facts.submit(facts.map(({ index, event }) => factItem(event, timeOf(index))));
    const drafts: QuarantineDraft[] = [];
    for (const [i, { index, event }] of facts.entries()) {
      const outcome = outcomes[i];
      if (outcome === undefined) continue;
      if (outcome.outcome === 'quarantined') {
        const fault = { reason: outcome.code, detail: outcome.detail };
        drafts.push(draftOf(quarantined(inputs[index], this.parts.context(), fault, options.texts?.[index]), index, options));
      }
      results[index] = resultOf(index, event.id, outcome);
    }
    await this.parts.quarantine.put(drafts);
  }

  private async beats(
    beats: readonly Indexed<ParsedHeartbeat>[],
    results: (IngestResult | undefined)[],
    { lane, timesMs }: IngestOptions,
  ): Promise<void> {
    if (beats.length === 0) return;
    const came = { lane, timesMs: beats.map(({ index }) => timesMs?.[index] ?? null) };
    const states = await this.parts.heartbeats.renew(
      beats.map((b) => b.event),
      came,
    );
    for (const [i, { index, event }] of beats.entries()) {
      const { state, refusal = null } = states[i] ?? {};
      const known = state === undefined ? {} : { state };
      results[index] =
        refusal === null
          ? { index, id: event.id, outcome: 'recorded', ...known }
          : { index, id: event.id, outcome: 'refused', code: refusal, detail: REFUSALS[refusal], ...known };
    }
  }

  private async workerBeat(
    index: number,
    event: ParsedWorkerHeartbeat,
    { lane, timesMs }: IngestOptions,
  ): Promise<IngestResult> {
    const key = this.parts.workerKey(event.namespace, event.worker);
    const states = await this.parts.heartbeats.renewWorker(event, key, { lane, timesMs: [timesMs?.[index] ?? null] });
    return { index, id: event.id, outcome: 'recorded', jobs: states.filter(isKnown).map(shownState), ...this.toldWorker(event) };
  }

  private toldWorker(event: ParsedWorkerHeartbeat): Pick<IngestResult, 'refusedQueues' | 'evidence'> {
    const refusedQueues = this.refusedQueues(event);
    const evidence = this.parts.evidence?.wanted(event.namespace, event.worker) ?? null;
    return {
      ...(refusedQueues.length > 0 && { refusedQueues }),
      ...(evidence !== null && { evidence: { ...evidence, kinds: [...evidence.kinds] } }),
    };
  }

  private refusedQueues({ worker, beats }: ParsedWorkerHeartbeat): string[] {
    const { revisions } = this.parts;
    if (revisions === undefined || worker.revision === undefined) return [];
    const refs = new Map(beats.map(({ ref }) => [ref.queue, ref]));
    return [...refs.values()].filter((ref) => revisions.refuses(ref, worker)).map(({ queue }) => queue);
  }

  private async queueStates(
    states: readonly Indexed<ParsedQueueState>[],
    results: (IngestResult | undefined)[],
  ): Promise<void> {
    if (states.length === 0) return;
    await this.parts.queueStates.put(
      states.map(({ event }) => ({
        namespace: event.namespace,
        queue: event.queue,
        waiting: event.state.waiting ?? null,
        oldestAgeMs: event.state.oldestAgeMs ?? null,
        paused: event.state.paused ?? null,
      })),
    );
    for (const { index, event } of states) results[index] = { index, id: event.id, outcome: 'recorded' };
  }

  private async unparsed(
    broken: readonly Indexed<Unparsed>[],
    results: (IngestResult | undefined)[],
    options: IngestOptions,
  ): Promise<void> {
    const kept = broken.filter(({ event }) => event.disposition === 'quarantined');
    await this.parts.quarantine.put(kept.map(({ index, event }) => draftOf(event, index, options)));
    for (const { index, event } of broken) {
      const { disposition, reason, detail } = event;
      results[index] = { index, id: event.id ?? null, outcome: disposition, code: reason, detail };
    }
  }
}

interface Indexed<K> {
  readonly index: number;
  readonly event: K;
}

const isUnparsed = (event: ParsedEvent): event is Unparsed => !event.ok;
const isFact = (event: ParsedEvent): event is ParsedFact => event.ok && event.kind === 'fact';
const isHeartbeat = (event: ParsedEvent): event is ParsedHeartbeat => event.ok && event.kind === 'heartbeat';
const isWorkerHeartbeat = (event: ParsedEvent): event is ParsedWorkerHeartbeat =>
  event.ok && event.kind === 'worker-heartbeat';
const isQueueState = (event: ParsedEvent): event is ParsedQueueState => event.ok && event.kind === 'queue-state';

/** A token is bound to its namespaces; elsewhere nothing is there for it. */
function forbidden(event: ParsedEvent, index: number, options: IngestOptions): IngestResult | undefined {
  const namespace = event.ok ? event.namespace : event.ref?.namespace;
  if (options.namespaces === null || namespace === undefined || options.namespaces.includes(namespace)) return undefined;
  const detail = `the token may not write to namespace "${namespace}"`;
  return { index, id: event.id ?? null, outcome: 'refused', code: 'namespace_unknown', detail };
}

function resultOf(index: number, id: string, outcome: FactOutcome): IngestResult {
  switch (outcome.outcome) {
    case 'appended':
    case 'duplicate':
      return {
        ...{ index, id, outcome: outcome.outcome },
        ...(outcome.position !== null && { position: outcome.position }),
        ...(outcome.state !== undefined && { state: outcome.state }),
      };
    case 'refused': {
      const { code, detail, state } = outcome;
      return { index, id, outcome: 'refused', code, detail, ...(state !== undefined && { state }) };
    }
    case 'quarantined': {
      // A reused id is the sender's fault to mend: refused, and kept all the same.
      const refused = outcome.code === 'id_reused';
      return { index, id, outcome: refused ? 'refused' : 'quarantined', code: outcome.code, detail: outcome.detail };
    }
  }
}

function draftOf(event: Unparsed, index: number, options: IngestOptions): QuarantineDraft {
  return {
    lane: options.lane,
    origin: typeof options.origin === 'string' ? options.origin : options.origin(index),
    reason: event.reason,
    detail: event.detail,
    refs: event.refs,
    contentType: 'application/cloudevents+json',
    bytes: event.bytes,
  };
}

function isKnown(state: BeatState): state is BeatState & { readonly state: NonNullable<BeatState['state']> } {
  return state.state !== undefined;
}

type ShownState = NonNullable<IngestResult['jobs']>[number];

function shownState({ ref, attempt, state, refusal }: BeatState & { readonly state: ShownState['state'] }): ShownState {
  return { queue: ref.queue, id: ref.id, attempt, state, ...(refusal !== null && { code: refusal }) };
}
