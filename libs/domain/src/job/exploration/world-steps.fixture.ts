import type { DecisionDraft } from '../events/decisions.js';
import { epochOfToken, tokenOf } from '../events/token.js';
import type { Command, Running, World } from './world.fixture.js';

/** How often the rarer things may happen in one walk. */
export interface Budget {
  copies: number;
  cancels: number;
  redrives: number;
  restarts: number;
  epochs: number;
}

export type Step = readonly [label: string, run: () => void];

/** Every step possible now. Waiting is always among them. */
export function steps(world: World, budget: Budget): Step[] {
  return [
    ...deliveries(world, budget),
    ...deciders(world),
    ...publisher(world),
    ...world.commands.flatMap((command) => arrivals(world, command, budget)),
    ...world.slots.flatMap((running, slot) => (running === null ? [] : work(world, running, slot))),
    ...people(world, budget),
    ['time passes', () => (world.nowMs = Math.max(world.nowMs, world.plan()?.dueMs ?? world.nowMs))],
    ['the service catches up', () => catchUp(world)],
  ];
}

function deliveries(world: World, budget: Budget): Step[] {
  const out: Step[] = world.buffered.map((sent) => [
    `send ${sent.type}`,
    () => {
      world.buffered = world.buffered.filter((s) => s !== sent);
      world.inFlight.push({ sent, sinceMs: world.nowMs });
    },
  ]);
  for (const flight of world.inFlight) {
    out.push([
      `receive ${flight.sent.type}`,
      () => {
        const copy = budget.copies > 0 && world.nowMs % 7 === 0;
        if (copy) budget.copies -= 1;
        else world.inFlight = world.inFlight.filter((f) => f !== flight);
        world.receive(flight.sent);
      },
    ]);
  }
  return out;
}

function deciders(world: World): Step[] {
  const out: Step[] = world.pending.map((pending) => ['append', () => world.append(pending)]);
  const due = world.pending.length < 2 ? world.due() : null;
  if (due !== null) out.push(['read', () => world.read(due)], ['read', () => world.read(due)]);
  return out;
}

/** Takes the decisions in the order of the log; checks what is still true, then sends. */
function publisher(world: World): Step[] {
  const decision = world.decisions[world.published];
  if (decision === undefined) return [];
  const done = (): void => {
    world.published += 1;
    world.checked = false;
  };
  const { kind, attempt, reason } = decision;
  const command = kind === 'stop-requested' ? 'stop' : kind === 'republished' || kind === 'requeued' ? 'enqueue' : null;
  if (command === null || (kind === 'requeued' && reason === 'claim')) return [['pass', done]];
  if (world.checked) {
    const send = (): void => {
      world.commands.push({ kind: command, attempt, ...(decision.token !== undefined && { token: decision.token }) });
      done();
    };
    return world.commands.length < 4 ? [['publish', send]] : [];
  }
  const check = (): void => {
    const { view } = world;
    const waits = view.status === 'requeued' || view.status === 'queued';
    const current = command === 'stop' ? view.finished || attempt < view.attempt : waits && attempt === view.attempt;
    if (world.rules.publishCheck && !current) {
      done();
      return;
    }
    world.witness.sending(command);
    world.checked = true;
  };
  return [['check', check]];
}

function arrivals(world: World, command: Command, budget: Budget): Step[] {
  const consume = (): void => {
    world.commands = world.commands.filter((c) => c !== command);
  };
  if (command.kind === 'stop') {
    const stop = (): void => {
      consume();
      stopWorkers(world, command.attempt);
    };
    return [['stop arrives', stop]];
  }
  const slot = world.slots.indexOf(null);
  if (slot < 0) return [];
  const take = (keep: boolean) => (): void => {
    if (keep) budget.copies -= 1;
    else consume();
    world.witness.taking(command.attempt);
    world.take(slot, command);
  };
  const out: Step[] = [['take', take(false)], ['take and die', consume]];
  if (budget.copies > 0) out.push(['take, a copy stays', take(true)]);
  return out;
}

export function stopWorkers(world: World, attempt: number): void {
  world.slots.forEach((running, i) => {
    if (running?.attempt === attempt) world.slots[i] = null;
  });
}

function work(world: World, running: Running, slot: number): Step[] {
  const leave = (emit?: () => void) => (): void => {
    world.slots[slot] = null;
    emit?.();
  };
  const fail = (retryable: boolean) => (): void => {
    world.emit(running, { type: 'failed', error: { class: 'Error', message: 'no' }, retryable });
  };
  const beat: Step = ['beat', () => world.emit(running, { type: 'heartbeat' })];
  const out: Step[] = [
    ['die', leave()],
    ...(world.buffered.length < 3 ? [beat, beat, beat] : []),
    ['succeed', leave(() => world.emit(running, { type: 'succeeded' }))],
    ['fail', leave(fail(true))],
    ['fail for good', leave(fail(false))],
    ['let go', leave(() => world.emit(running, { type: 'released' }))],
  ];
  if (world.rules.mode !== 'owner' || running.attempt > 4) return out;
  // The queue gives the job to somebody else, whatever this one does.
  const again = (): void => world.take(slot, { kind: 'enqueue', attempt: running.attempt + 1 });
  return [...out, ['the queue retries', again]];
}

function people(world: World, budget: Budget): Step[] {
  const { view, state } = world;
  const out: Step[] = [];
  const byHand = (kind: DecisionDraft['kind'], more: Partial<DecisionDraft> = {}): DecisionDraft => ({
    ...{ kind, attempt: view.attempt, reason: 'asked', by: 'anna' },
    ...more,
  });
  if (budget.cancels > 0) {
    const cancel = (): void => {
      budget.cancels -= 1;
      world.buffered.push({ type: 'cancelled', ...world.identity() });
    };
    out.push(['cancel', cancel]);
  }
  const succeeded = [...state.attempts.values()].some((a) => a.succeeded);
  if (budget.redrives > 0 && view.finished && !succeeded) {
    const attempt = view.attempt + 1;
    const token = tokenOf(Math.max(world.epoch, epochOfToken(view.token)), attempt);
    const redrive = (): void => {
      budget.redrives -= 1;
      world.decide(byHand('redriven'), byHand('requeued', { attempt, token }));
    };
    out.push(['redrive', redrive]);
  }
  const restart = { processing: 'restart-requested', queued: 'republished', requeued: 'republished' } as const;
  const kind = view.status in restart ? restart[view.status as keyof typeof restart] : undefined;
  if (budget.restarts > 0 && kind !== undefined) {
    const ask = (): void => {
      budget.restarts -= 1;
      world.decide(byHand(kind, { token: view.token }));
    };
    out.push(['restart', ask]);
  }
  if (budget.epochs > 0) {
    const restore = (): void => {
      budget.epochs -= 1;
      world.epoch += 1;
    };
    out.push(['restore', restore]);
  }
  return out;
}

export function catchUp(world: World): void {
  const due = world.due();
  if (due !== null) world.read(due);
  decideAll(world);
  publishAll(world);
}

export function decideAll(world: World): void {
  for (const pending of [...world.pending]) world.append(pending);
}

export function publishAll(world: World): void {
  for (let [next] = publisher(world); next !== undefined; [next] = publisher(world)) next[1]();
}
