import { catchUp, decideAll, publishAll, steps, stopWorkers, type Budget } from './world-steps.fixture.js';
import { World, type Rules } from './world.fixture.js';

/** Walks through a world: each number picks one of the steps that are possible there. */
export function walk(rules: Rules, choices: readonly number[]): World {
  const world = new World(rules);
  const budget: Budget = { copies: 4, cancels: 1, redrives: 1, restarts: 1, epochs: 1 };
  for (const choice of choices) {
    const possible = steps(world, budget);
    possible[choice % possible.length]?.[1]();
    world.nowMs += 1;
    world.witness.atRest();
  }
  world.witness.refolds();
  return world;
}

/**
 * The service comes to rest: what was sent arrives, what is due is decided, what was decided goes out. Then the worst
 * that can still happen does: every command that lies about is taken up, after all the stops. Once the service rests
 * again, whoever is out must have a stop on its way.
 */
export function rest(world: World): void {
  serve(world);
  for (const command of world.commands) if (command.kind === 'stop') stopWorkers(world, command.attempt);
  const left = world.commands.filter((c) => c.kind === 'enqueue');
  world.commands = [];
  for (const command of left) {
    const slot = world.slots.indexOf(null);
    if (slot >= 0) world.take(slot, command);
  }
  serve(world);
  world.witness.atRest();
}

function serve(world: World): void {
  for (let round = 0; round < 20; round += 1) {
    arriveAll(world);
    catchUp(world);
  }
}

/**
 * From here on nothing goes wrong: everything arrives, every worker succeeds, and where a command was lost a person
 * asks for it again. Every job must come to an end.
 */
export function settle(world: World): void {
  if (world.rules.queuedLate) world.sendQueued();
  for (let round = 0; round < 200 && !world.view.finished; round += 1) {
    arriveAll(world);
    decideAll(world);
    publishAll(world);
    const { commands } = world;
    world.commands = [];
    for (const command of commands) {
      world.slots[0] = null;
      if (command.kind === 'enqueue') world.take(0, command);
    }
    const running = world.slots.find((r) => r !== null);
    world.slots.fill(null);
    if (running !== undefined) world.emit(running, { type: 'succeeded' });
    else rescue(world);
    world.nowMs += 1;
  }
  if (!world.view.finished) world.witness.violations.add('no_exit');
  world.witness.refolds();
}

function arriveAll(world: World): void {
  const arriving = [...world.inFlight.map((f) => f.sent), ...world.buffered];
  world.inFlight = [];
  world.buffered = [];
  for (const sent of arriving) world.receive(sent);
}

function rescue(world: World): void {
  const plan = world.plan();
  if (world.buffered.length > 0) return;
  world.nowMs = Math.max(world.nowMs, plan?.dueMs ?? 0);
  if (plan?.planned.kind === 'decide') world.decide(...plan.planned.drafts);
  else world.commands.push({ kind: 'enqueue', attempt: world.view.attempt });
}
