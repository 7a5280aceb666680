import { swapMessage, unpackMessage } from './messages.js';
import { PAST, swapPrevious, timedDecision, type Row } from './rows.js';
import type { Service } from './service.js';
import { PHASES, type Entry, type Pending, type World } from './world.js';

/** Two instants that are this far apart are as good as any further apart: only a claim counts two waits in a row. */
function farOf({ scenario }: Service, { view }: Row): number {
  return scenario.mode === 'claims' && view.status === 'processing' ? 2 : 1;
}

/**
 * Forgets what can no longer matter, so that states which differ in nothing else are one: heartbeats that hold nobody,
 * a request under way for a job that is over, and of the instants everything but their order and their distance, as far as it
 * counts. The clock has no end, and yet there are only so many states.
 */
export function forgetting(world: World, service: Service): World {
  const { view } = service.rowOf(world);
  let next = world;
  const facts = next.facts.filter((code) => !isIdleBeat(code, view.attempt, view.finished));
  if (facts.length < next.facts.length) next = { ...next, facts };
  if (next.flight !== 0 && isIdleBeat(next.flight, view.attempt, view.finished)) next = { ...next, flight: 0, since: 0 };
  if (next.flight !== 0 && view.finished) {
    next = { ...next, facts: [...next.facts, next.flight].sort((a, b) => a - b), flight: 0, since: 0 };
  }
  if (view.finished && next.beat !== 0) next = { ...next, beat: 0 };
  const outbox = next.outbox.filter((entry, i) => (i === 0 && next.phase !== 'untouched') || isStillSaid(entry, view.attempt));
  if (outbox.length < next.outbox.length) next = { ...next, outbox };
  const awaited = (1 << view.attempt) | (1 << (outbox[0]?.attempt ?? 0));
  const invalidated = next.invalidated & awaited;
  if (invalidated !== next.invalidated) next = { ...next, invalidated };
  return closer(next, service);
}

function isIdleBeat(code: number, current: number, finished: boolean): boolean {
  const { type, attempt } = unpackMessage(code);
  return type === 'heartbeat' && (finished || attempt < current);
}

/** The publisher would skip a command of a past attempt, and nobody waits for its invalidation any more. */
function isStillSaid({ command, attempt }: Entry, current: number): boolean {
  return command === 'stop' || attempt >= current;
}

function closer(world: World, service: Service): World {
  const row = service.rowOf(world);
  const instants = new Set(row.times);
  for (const ms of [world.beat, world.since]) if (ms !== 0) instants.add(ms);
  for (const pending of world.pending) timedPending(pending, (ms) => (instants.add(ms), ms));
  // A date ahead, as of a backoff, is an instant like any other.
  instants.add(world.now);
  const sorted = [...instants].sort((a, b) => a - b);
  const moved = new Map<number, number>([[0, 0]]);
  const far = farOf(service, row);
  let to = PAST;
  sorted.forEach((ms, i) => {
    to += i === 0 ? 1 : Math.min(far, ms - sorted[i - 1]!);
    moved.set(ms, to);
  });
  const move = (ms: number): number => moved.get(ms) ?? PAST;
  const nextRow = service.rows.moveTo(row, row.times.map(move));
  if (nextRow === row && sorted.every((ms) => move(ms) === ms)) return world;
  const { now, beat, since, pending } = world;
  const movedPending = pending.map((p) => timedPending(p, move));
  return { ...world, row: nextRow.id, now: move(now), beat: move(beat), since: move(since), pending: movedPending };
}

function timedPending(pending: Pending, move: (ms: number) => number): Pending {
  return { ...pending, dueMs: move(pending.dueMs), drafts: pending.drafts.map((d) => timedDecision(d, move)) };
}

/** The state as numbers; of its two namings of the workers the smaller one. */
export class Canonical {
  private readonly texts = new Map<string, number>();

  constructor(private readonly service: Service) {}

  key(world: World): readonly number[] {
    const own = this.numbers(world, this.service.rowOf(world), false);
    const other = this.numbers(world, this.service.rows.swap(this.service.rowOf(world)), true);
    for (let i = 0; i < own.length; i += 1) {
      if (own[i] !== other[i]) return own[i]! < other[i]! ? own : other;
    }
    return own;
  }

  private numbers(world: World, row: Row, swapped: boolean): number[] {
    const named = swapped ? swapMessage : (code: number): number => code;
    const facts = swapped ? world.facts.map(swapMessage).sort((a, b) => a - b) : world.facts;
    const [a, b] = world.slots;
    const key = [row.id, world.now, world.beat, world.epoch, named(world.flight), world.since];
    key.push(swapped ? b : a, swapped ? a : b, PHASES.indexOf(world.phase));
    key.push(world.invalidated, world.sink, world.runs, world.budget);
    key.push(facts.length, ...facts, world.commands.length, ...world.commands);
    for (const { command, invalidates, attempt } of world.outbox) {
      key.push((command === 'stop' ? 2 : command === 'enqueue' ? 1 : 0) + (invalidates ? 4 : 0) + 8 * attempt);
    }
    const read = world.pending.map((p) => this.numberOf(p, swapped));
    return read.length === 0 ? key : [...key, -1, ...read.sort((x, y) => x - y)];
  }

  private numberOf(pending: Pending, swapped: boolean): number {
    const drafts = swapped ? pending.drafts.map(swapPrevious) : pending.drafts;
    const text = JSON.stringify([pending.n, pending.dueMs, pending.gated, drafts]);
    let number = this.texts.get(text);
    if (number === undefined) this.texts.set(text, (number = this.texts.size));
    return number;
  }
}
