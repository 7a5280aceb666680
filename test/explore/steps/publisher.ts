import { epochOfToken, grantToken } from '#libs/domain';
import { packCommand } from '../messages.js';
import type { Service } from '../service.js';
import { left, spent, withOne, type Entry, type World } from '../world.js';
import type { Step, Steps } from './step.js';

/**
 * The shard's publisher, with the first entry above its checkpoint:
 *
 *   untouched → invalidated (acknowledged) → written (true under the row's lock) → sent → the checkpoint moves on
 *
 * It may die between any two of them, and begins again at the checkpoint. What is no longer true is skipped. Once it can
 * die no more, nobody could tell the invalidation from the look, nor the sending from the checkpoint: they are one step.
 */
export const publisher: Steps = (world, service) => {
  const [entry] = world.outbox;
  if (entry === undefined) return [];
  const out: Step[] = [...forward(world, entry, service)];
  if (world.phase !== 'untouched' && left(world, 'crashes') > 0) {
    out.push({ by: 'fault', say: 'the publisher dies', take: () => crash(world, service) });
  }
  return out;
};

function* forward(world: World, entry: Entry, service: Service): Generator<Step> {
  const { attempt, command, invalidates } = entry;
  const { rules, scenario } = service;
  const say = `${command ?? 'nothing'}(${attempt})`;
  switch (world.phase) {
    case 'untouched': {
      const acknowledged = invalidates && rules.invalidationFirst ? world.invalidated | (1 << attempt) : world.invalidated;
      const next = { ...world, phase: 'invalidated' as const, invalidated: acknowledged };
      if (left(world, 'crashes') > 0) yield { by: 'service', say: `the publisher invalidates before ${say}`, take: () => next };
      else yield { by: 'service', say: `the publisher invalidates, and looks whether ${say} is true`, take: () => look(next, entry, service) };
      return;
    }
    case 'invalidated':
      yield { by: 'service', say: `the publisher looks whether ${say} is true`, take: () => look(world, entry, service) };
      return;
    case 'written':
      if (world.commands.length < scenario.commands) {
        yield { by: 'service', say: `the publisher sends ${say}`, take: () => send(world, entry, service) };
      }
      return;
    case 'sent':
      yield { by: 'service', say: 'the publisher moves its checkpoint', take: () => pass(world) };
  }
}

/** It begins again at its checkpoint. Where that was moved on before the command was sent, the command is lost. */
function crash(world: World, { rules, witness }: Service): World {
  const lost = world.phase === 'written' && !rules.sendFirst;
  const next = { ...world, phase: 'untouched' as const, budget: spent(world, 'crashes') };
  if (world.phase === 'written') witness.expect('checkpoint', !lost);
  return lost ? pass(next) : next;
}

/** Under the row's lock. What is true is written with it: the job cannot end in between. */
function look(world: World, entry: Entry, service: Service): World {
  const { rules, witness } = service;
  const { attempt, command } = entry;
  const { view } = service.rowOf(world);
  if (command === null || !rules.code.isCurrent(command, attempt, view)) return pass(world);
  witness.expect('commandTrue', command === 'stop' ? view.finished || attempt < view.attempt : !view.finished && attempt === view.attempt);
  return { ...world, phase: 'written' };
}

function send(world: World, entry: Entry, service: Service): World {
  const { attempt, command } = entry;
  if (command === null) return world;
  if (command === 'enqueue' && attempt > 1) service.witness.expect('invalidated', (world.invalidated & (1 << attempt)) !== 0);
  const token = grantToken(service.rowOf(world).state, attempt);
  const code = packCommand({ kind: command, attempt, tokenEpoch: command === 'stop' ? null : epochOfToken(token) });
  const next: World = { ...world, phase: 'sent', commands: withOne(world.commands, code) };
  return left(world, 'crashes') > 0 ? next : pass(next);
}

function pass(world: World): World {
  return { ...world, phase: 'untouched', outbox: world.outbox.slice(1) };
}
