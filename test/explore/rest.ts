import { unpackCommand, unpackSlot } from './messages.js';
import type { Service } from './service.js';
import type { World } from './world.js';

/** Neither finished nor left to an operator, and yet it waits for no instant. */
export function restsUnscheduled(world: World, service: Service): boolean {
  const { view, log } = service.rowOf(world);
  if (view.finished || log.length === 0 || view.status === 'incomplete') return false;
  return service.plan(world) === null;
}

/** Starved or incomplete: reported, and left to an operator, who alone knows what became of the command or of `queued`. */
export function isLeftToItself(world: World, service: Service): boolean {
  const { view, state } = service.rowOf(world);
  switch (view.status) {
    case 'queued':
    case 'requeued':
      return service.plan(world)?.planned.kind !== 'decide' || service.rowOf(world).log.length === 0;
    case 'incomplete':
      return state.queued === null;
    default:
      return false;
  }
}

/** Of a job that is over, when nothing is under way and nothing is left to do: is somebody out without a stop? null: else. */
export function stopsMissing(world: World, service: Service): boolean | null {
  if (!service.rowOf(world).view.finished) return null;
  if (world.flight !== 0 || world.facts.length + world.pending.length + world.outbox.length > 0) return null;
  const running = world.slots.flatMap((code) => {
    const slot = unpackSlot(code);
    return slot?.phase === 'running' ? [slot.attempt] : [];
  });
  if (running.length === 0 || service.due(world) !== null) return null;
  const stops = new Set(world.commands.map(unpackCommand).flatMap((c) => (c.kind === 'stop' ? [c.attempt] : [])));
  return running.some((attempt) => !stops.has(attempt));
}
