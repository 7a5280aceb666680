import {
  boundedEvidence,
  foldIncident,
  JOBWARDEN,
  nextStep,
  repeatedStep,
  type IncidentIdentity,
  type IncidentKind,
  type IncidentStepDraft,
  type StepRefusal,
} from '#libs/domain';
import type { DecideStep, IncidentStore, StepGround, StoredIncident } from '../ports/incident-store.port.js';

/** What an incident is about: a name of its kind's own, such as a lane's, or a queue (and what in it). */
export type IncidentAbout =
  | string
  | { readonly namespace: string; readonly queue: string; readonly subject?: string };

export interface Told {
  /** For people, in one sentence. */
  readonly reason: string;
  /** Who says it. Default `jobwarden`. */
  readonly by?: string;
  /** What was seen, in figures. Goes out with the step: nothing secret, no payloads. */
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface IncidentObserver {
  /** After the commit, once per incident. Must not throw. */
  opened?(incident: StoredIncident): void;
  /** After the commit, once per incident. Must not throw. */
  resolved?(incident: StoredIncident): void;
  /** There is a step to send. Must not throw. */
  stepped?(): void;
}

export type StepOutcome =
  | { readonly kind: 'done'; readonly incident: StoredIncident }
  | { readonly kind: 'refused'; readonly code: StepRefusal; readonly incident: StoredIncident | null };

/**
 * Incidents: opened by evidence, resolved by evidence or by a person, and sent on by the publisher of their shard.
 *
 *   open ──► opened ── open again, note ──► noted … ── resolve ──► resolved      then open again makes another one
 *
 * All calls may be repeated, on any number of replicas at once: of one identity (kind and what it is about) one incident
 * at most is open. A cause that still stands opens a new one with its next evidence, also after a person has resolved
 * the one before. No level and no stop switch holds an incident back: it is no action.
 */
export class Incidents {
  constructor(
    private readonly store: IncidentStore,
    private readonly observer: IncidentObserver = {},
  ) {}

  /** Opens it, or adds a bounded note to the one that is open. `opened`: this call did. */
  async open(
    kind: IncidentKind,
    about: IncidentAbout,
    told: Told,
  ): Promise<{ readonly incident: StoredIncident; readonly opened: boolean }> {
    return this.afterOpening(await this.change(identityOf(kind, about), opening(told)));
  }

  /** As {@link open}, where what it rests on stands when it is opened. null: it does not, and nothing is said. */
  async openOn(ground: StepGround, kind: IncidentKind, about: IncidentAbout, told: Told): Promise<{ readonly incident: StoredIncident; readonly opened: boolean } | null> {
    const outcome = await this.change(identityOf(kind, about), opening(told), ground);
    return outcome === null ? null : this.afterOpening(outcome);
  }

  /** As {@link resolve}, where what it rests on stands when it is resolved. */
  async resolveOn(ground: StepGround, kind: IncidentKind, about: IncidentAbout, told: Told): Promise<void> {
    const draft = draftOf('resolved', told);
    await this.change(identityOf(kind, about), (found, atMs) => {
      const decision = nextStep(found?.steps ?? [], draft, atMs);
      return 'step' in decision ? decision.step : null;
    }, ground);
  }

  /** Adds to what is open. Refused: there is none, or it has been noted too often. */
  async note(kind: IncidentKind, about: IncidentAbout, told: Told): Promise<StepOutcome> {
    return await this.step(identityOf(kind, about), draftOf('noted', told));
  }

  /** By evidence, or for whoever removed the cause. Refused: none is open. */
  async resolve(kind: IncidentKind, about: IncidentAbout, told: Told): Promise<StepOutcome> {
    return await this.step(identityOf(kind, about), draftOf('resolved', told));
  }

  /** A person's call on one incident. Refused: it is resolved already, or unknown (`unopened`). */
  async resolveById(id: string, told: Told): Promise<StepOutcome> {
    return await this.step({ id }, draftOf('resolved', told));
  }

  /** The next step of an incident as it stood after step `afterN`. `stale`: there is another one by now, or it is over. */
  async advance(id: string, afterN: number, step: IncidentStepDraft): Promise<StoredIncident | 'stale'> {
    const draft = bounded(step);
    const { incident, stepped } = await this.change({ id }, (found, atMs) => {
      const decision = found?.steps.length === afterN ? nextStep(found.steps, draft, atMs) : { refused: 'closed' };
      return 'step' in decision ? decision.step : null;
    });
    return stepped && incident !== null ? incident : 'stale';
  }

  /** The open ones of a kind: for causes that are looked at many at a time. */
  async openOnes(kind: IncidentKind): ReturnType<IncidentStore['open']> {
    return await this.store.open(kind);
  }

  private async step(which: IncidentIdentity | { readonly id: string }, draft: IncidentStepDraft): Promise<StepOutcome> {
    let refused: StepRefusal = 'unopened';
    const { incident, stepped } = await this.change(which, (found, atMs) => {
      const decision = nextStep(found?.steps ?? [], draft, atMs);
      if ('step' in decision) return decision.step;
      refused = decision.refused;
      return null;
    });
    return stepped && incident !== null ? { kind: 'done', incident } : { kind: 'refused', code: refused, incident };
  }

  private afterOpening({ incident, stepped, found }: Changed): { readonly incident: StoredIncident; readonly opened: boolean } {
    if (incident === null) throw new Error('opening an incident left none');
    if (!found && stepped) this.observer.opened?.(incident);
    return { incident, opened: !found };
  }

  private async change(which: IncidentIdentity | { readonly id: string }, decide: Decide): Promise<Changed>;
  private async change(identity: IncidentIdentity, decide: Decide, ground: StepGround): Promise<Changed | null>;
  private async change(which: IncidentIdentity, decide: Decide, ground?: StepGround): Promise<Changed | null> {
    const step: DecideStep<Changed> = (found, atMs) => {
      const decided = decide(found, atMs);
      return { step: decided, result: (incident) => ({ incident, stepped: decided !== null, found: found !== null }) };
    };
    const outcome = ground === undefined ? await this.store.change(which, step) : await this.store.changeOn(ground, which, step);
    if (outcome === null) return null;
    const { stepped, incident } = outcome;
    if (stepped) this.observer.stepped?.();
    if (stepped && incident !== null && !isOpen(incident)) this.observer.resolved?.(incident);
    return outcome;
  }
}

type Decide = (...args: Parameters<DecideStep<unknown>>) => ReturnType<DecideStep<unknown>>['step'];

interface Changed {
  readonly incident: StoredIncident | null;
  readonly stepped: boolean;
  /** One was open. */
  readonly found: boolean;
}

function opening(told: Told): Decide {
  const draft = draftOf('opened', told);
  return (found, atMs) => {
    if (found !== null) return repeatedStep(found.steps, draft, atMs);
    const decision = nextStep([], draft, atMs);
    return 'step' in decision ? decision.step : null;
  };
}

/** Whether an incident of the store is open. */
export function isOpen({ steps }: StoredIncident): boolean {
  return foldIncident(steps)?.status === 'open';
}

function draftOf(type: IncidentStepDraft['type'], { reason, by, evidence }: Told): IncidentStepDraft {
  return bounded({ type, by: by ?? JOBWARDEN, reason, ...(evidence !== undefined && { evidence }) });
}

/** Beyond it a sentence is none: whoever puts a whole error into it is cut short. */
const REASON_CHARACTERS = 8_192;
/** Evidence goes out with each step: what is larger would be refused by some sink, and is no figure either. What a run goes by stays whole. */
const EVIDENCE_CHARACTERS = 16_384;

function bounded({ reason, evidence, ...step }: IncidentStepDraft): IncidentStepDraft {
  // A text of the database holds no NUL.
  const said = { ...step, reason: reason.slice(0, REASON_CHARACTERS).replaceAll('\0', '\uFFFD') };
  return evidence === undefined ? said : { ...said, evidence: boundedEvidence(evidence, EVIDENCE_CHARACTERS) };
}

function identityOf(kind: IncidentKind, about: IncidentAbout): IncidentIdentity {
  if (typeof about === 'string') return { kind, subject: about };
  const { namespace, queue, subject = queue } = about;
  return { kind, subject, queue: { namespace, queue } };
}
