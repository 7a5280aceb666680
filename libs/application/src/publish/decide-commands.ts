import { viewOf, type JobState } from '#libs/domain';
import {
  messageKey,
  type Attachments,
  type MessageOutcome,
  type OutboundMessage,
  type OutboundTransaction,
  type OutgoingEntry,
} from '../ports/outbound-store.port.js';
import type { WebhookEndpoint } from '../ports/webhooks.port.js';
import { addressees, deliverTo, type FallbackOf } from './fallback-queue.js';
import { attachmentsOf, enqueueMessage, stopMessage, type Built } from './command-message.js';
import { deadLetterMessage } from './dead-letter-message.js';
import { decoded, intentOf, outboundMessage, type DecodedEntry, type Intent } from './decoded-entry.js';
import { isCurrent, skipReason } from './truth.js';
import { webhooksFor } from './webhook-match.js';

export interface CommandRules {
  readonly webhooks: readonly WebhookEndpoint[];
  readonly payloadLimitBytes: number;
  /** Default: no queue has one. */
  readonly fallbackOf?: FallbackOf;
  /** Answer what has been sent before as well, while it is true: a further sink may have missed it in a crash. */
  readonly repeatSent: boolean;
  /** Why a further sink would never take it; null: all would. Default: none refuses anything. */
  readonly faultOf?: (message: OutboundMessage) => string | null;
}

/**
 * The second step of a batch: under the job rows' locks, what is still true of commands and dead letters.
 *
 *   true, deliverable            sent
 *   no longer true               skipped, also behind a parked one: what does not go out is in nobody's way
 *   true, not deliverable        parked, and behind it everything true of the same job, so that order holds per job
 *   true, behind an invalidation of its job that is parked      parked: no command before its invalidation
 *
 * What a job has parked is looked at again whenever the job has something new: it may be no longer true by now, or
 * deliverable. The locks are held to the commit, so a job cannot end between the check and the sending.
 */
export async function decideCommands(
  tx: OutboundTransaction,
  entries: readonly DecodedEntry[],
  rules: CommandRules,
): Promise<readonly OutboundMessage[]> {
  const keys = [...new Set(entries.map((e) => e.entry.keyHex))].sort();
  const states = await tx.lockJobs(keys);
  const parked = await tx.parked(keys);
  const all = merged(parked, entries);
  const intents = all.flatMap((entry) => intentOf(entry) ?? []);
  const outcomes = await tx.outcomes(all.map((e) => e.entry.position.number));
  const open = intents
    .map((intent) => judged(intent, states.get(intent.entry.keyHex) ?? null, rules.fallbackOf))
    .filter((j) => !isSettled(j, outcomes, rules.repeatSent));
  const attached = await attachments(tx, open, rules);
  return settle(open, { attached, outcomes, rules, held: heldInvalidations(all, outcomes) });
}

/** Sent or skipped before: stays as it is, whatever is true now. */
function isSettled(
  { intent: { entry, kind }, stale }: Judged,
  outcomes: ReadonlyMap<string, MessageOutcome>,
  repeatSent: boolean,
): boolean {
  const outcome = outcomes.get(messageKey(entry.position.number, kind));
  if (outcome === 'sent') return !repeatSent || stale !== null;
  return outcome === 'skipped';
}

/** In the order of the log; an entry that is parked and asked for again comes once. */
function merged(parked: readonly OutgoingEntry[], entries: readonly DecodedEntry[]): DecodedEntry[] {
  const byNumber = new Map<number, DecodedEntry>();
  for (const entry of parked) byNumber.set(entry.position.number, decoded(entry));
  for (const entry of entries) byNumber.set(entry.entry.position.number, entry);
  return [...byNumber.keys()]
    .sort((a, b) => a - b)
    .flatMap((number) => byNumber.get(number) ?? []);
}

/** Key of a job → number of its first invalidation that is parked. `entries` are in the order of the log. */
function heldInvalidations(
  entries: readonly DecodedEntry[],
  outcomes: ReadonlyMap<string, MessageOutcome>,
): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { entry } of entries) {
    const { number } = entry.position;
    if (outcomes.get(messageKey(number, 'invalidation')) !== 'parked') continue;
    if (!held.has(entry.keyHex)) held.set(entry.keyHex, number);
  }
  return held;
}

interface Judged {
  readonly intent: Intent;
  /** null: the row is gone. */
  readonly state: JobState | null;
  /** Why it is no longer true; null = it is. */
  readonly stale: string | null;
  /** The queue whose workers are meant; null: the job's own. */
  readonly to: string | null;
}

function judged(intent: Intent, state: JobState | null, fallbackOf: FallbackOf | undefined): Judged {
  const { attempt } = intent.decision;
  if (state === null) return { intent, state, stale: skipReason(attempt, null), to: null };
  const view = viewOf(state);
  const stale = isCurrent(intent.kind, attempt, view) ? null : skipReason(attempt, view);
  return { intent, state, stale, to: fallbackOf === undefined ? null : deliverTo(intent, state, fallbackOf) };
}

async function attachments(
  tx: OutboundTransaction,
  open: readonly Judged[],
  rules: CommandRules,
): Promise<ReadonlyMap<Judged, Attachments>> {
  const wanted = open.filter((j) => j.stale === null && j.intent.kind === 'enqueue');
  if (wanted.length === 0) return new Map();
  const requests = wanted.flatMap(({ intent, state }) =>
    state === null ? [] : [attachmentsOf(intent, state, rules.payloadLimitBytes)],
  );
  const found = await tx.attachments(requests);
  return new Map(wanted.map((j, i) => [j, found[i] ?? NOTHING]));
}

const NOTHING: Attachments = { payload: null, progress: null, grant: null };

interface Settling {
  readonly attached: ReadonlyMap<Judged, Attachments>;
  readonly outcomes: ReadonlyMap<string, MessageOutcome>;
  readonly held: ReadonlyMap<string, number>;
  readonly rules: CommandRules;
}

function settle(open: readonly Judged[], settling: Settling): OutboundMessage[] {
  /** Key of a job → number of the message that it waits behind. */
  const blocked = new Map<string, number>();
  return open.map((j) => {
    const { keyHex, position } = j.intent.entry;
    const message = settled(j, blocked.get(keyHex) ?? waitsFor(j, settling.held), settling);
    if (message.outcome === 'parked' && !blocked.has(keyHex)) blocked.set(keyHex, position.number);
    return message;
  });
}

function waitsFor({ intent: { entry } }: Judged, held: ReadonlyMap<string, number>): number | undefined {
  const number = held.get(entry.keyHex);
  return number !== undefined && number <= entry.position.number ? number : undefined;
}

function settled(j: Judged, before: number | undefined, settling: Settling): OutboundMessage {
  const { attached, outcomes, rules } = settling;
  const { intent: { entry, kind }, to } = j;
  const bare = (): string => build(j, NOTHING, outcomes, rules).message;
  if (j.stale !== null)
    return outboundMessage(entry, kind, { outcome: 'skipped', detail: j.stale, message: bare(), webhooks: [] });
  const parked = (detail: string): OutboundMessage =>
    outboundMessage(entry, kind, { outcome: 'parked', detail, message: bare(), webhooks: [] });
  if (before !== undefined) return parked(`behind: waits for ${String(before)}`);
  const built = build(j, attached.get(j) ?? NOTHING, outcomes, rules);
  if ('fault' in built) return parked(built.fault);
  const webhooks = webhooksFor(rules.webhooks, kind, addressees(kind, entry.ref.queue, to));
  const message = outboundMessage(entry, kind, { outcome: 'sent', detail: null, message: built.message, webhooks, deliverTo: to });
  const fault = rules.faultOf?.(message) ?? null;
  return fault === null ? message : parked(fault);
}

function build(
  { intent, state, to }: Judged,
  attached: Attachments,
  outcomes: ReadonlyMap<string, MessageOutcome>,
  rules: CommandRules,
): Built {
  const { entry, kind } = intent;
  if (state === null) return { message: '{}' };
  switch (kind) {
    case 'stop':
      return { message: stopMessage(intent, state, to) };
    case 'dead-letter':
      return { message: deadLetterMessage(intent, state) };
    case 'enqueue': {
      const sent = outcomes.get(messageKey(entry.position.number, 'invalidation')) === 'sent';
      const invalidation = sent ? entry.position : null;
      return enqueueMessage(intent, state, attached, { invalidation, payloadLimitBytes: rules.payloadLimitBytes, deliverTo: to });
    }
  }
}
