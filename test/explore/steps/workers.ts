import { packMessage, packSlot, unpackCommand, unpackSlot, WORKERS, type MessageType, type Slot } from '../messages.js';
import type { Service } from '../service.js';
import { distinct, left, occupied, oneMoreRun, runsOf, spent, withOne, withoutOne, type World } from '../world.js';
import { askAgain, claims } from './claims.js';
import type { Step, Steps } from './step.js';

const MAX_ATTEMPT = 6;
const MAX_RUNS = 3;

/** Commands arrive at workers, and workers work: they may beat, end well or badly, let go, or die at any moment. */
export const workers: Steps = (world, service) => [
  ...distinct(world.commands).flatMap((code) => arrivals(world, code, service)),
  ...world.slots.flatMap((code, i) => {
    const slot = unpackSlot(code);
    if (slot === null) return [];
    return slot.phase === 'asking' ? askAgain(world, i, slot, service) : work(world, i, slot, service);
  }),
];

function arrivals(world: World, code: number, service: Service): Step[] {
  const { kind, attempt } = unpackCommand(code);
  const rest = { ...world, commands: withoutOne(world.commands, code) };
  if (kind === 'stop') return [{ by: 'worker', say: `stop(${attempt}) arrives`, take: () => stopped(rest, attempt) }];
  const free = world.slots.indexOf(0);
  if (free < 0 || runsOf(world, attempt) >= MAX_RUNS) return [];
  const name = WORKERS[free === 1 ? 1 : 0].id;
  const out: Step[] = [{ by: 'fault', say: `worker ${name} takes enqueue(${attempt}) and dies`, take: () => rest }];
  const copies = left(world, 'copies') > 0 ? [{ ...world, budget: spent(world, 'copies') }] : [];
  for (const taken of [rest, ...copies]) {
    const say = `worker ${name} takes enqueue(${attempt})${taken === rest ? '' : ', of which a copy stays'}`;
    if (service.scenario.mode === 'claims') out.push(...claims(taken, { index: free, code, say, kept: world }, service));
    else if (hasRoom(world, service)) out.push({ by: 'worker', say: `${say} and starts`, take: () => begin(taken, free, attempt, service) });
  }
  return out;
}

function begin(world: World, index: number, attempt: number, service: Service): World {
  const { view } = service.rowOf(world);
  const owned = service.scenario.mode === 'owner';
  if (!owned && attempt > 1) service.witness.expect('commandCommitted', attempt <= view.attempt);
  const slot: Slot = { phase: 'running', attempt, run: runsOf(world, attempt), tokenEpoch: null };
  return sent({ ...occupied(world, index, packSlot(slot)), runs: oneMoreRun(world, attempt) }, index, slot, 'started');
}

function stopped(world: World, attempt: number): World {
  const slots = world.slots.map((code) => (unpackSlot(code)?.attempt === attempt && unpackSlot(code)?.phase === 'running' ? 0 : code));
  return { ...world, slots: [slots[0]!, slots[1]!] };
}

function work(world: World, index: number, slot: Slot, service: Service): Step[] {
  const { attempt } = slot;
  const { view } = service.rowOf(world);
  const name = `worker ${WORKERS[index === 1 ? 1 : 0].id}`;
  const gone = occupied(world, index, 0);
  const out: Step[] = [{ by: 'fault', say: `${name} dies at attempt ${attempt}`, take: () => gone }];
  const end = (type: MessageType, what: string, from: World = gone): void => {
    out.push({ by: 'worker', say: `${name} ${what} at attempt ${attempt}`, take: () => sent(from, index, slot, type) });
  };
  const checksTokens = service.scenario.mode === 'claims';
  if (checksTokens && world.sink < attempt) {
    out.push({ by: 'fault', say: `${name} writes to the sink at attempt ${attempt} and dies`, take: () => ({ ...gone, sink: attempt }) });
  }
  if (!hasRoom(world, service)) return out;
  if (!checksTokens) end('succeeded', 'succeeds');
  else if (attempt >= world.sink) end('succeeded', 'writes to the sink and succeeds', { ...gone, sink: attempt });
  end('failed', 'fails');
  end('failed-for-good', 'fails for good');
  if (left(world, 'releases') > 0) end('released', 'lets go', { ...gone, budget: spent(world, 'releases') });
  if (left(world, 'beats') > 0 && attempt === view.attempt && !view.finished) {
    end('heartbeat', 'beats', { ...world, budget: spent(world, 'beats') });
  }
  const free = world.slots.indexOf(0);
  if (service.scenario.mode === 'owner' && free >= 0 && attempt < service.scenario.retries + 2 && runsOf(world, attempt + 1) === 0) {
    out.push({ by: 'worker', say: `the queue gives attempt ${attempt + 1} to the other worker`, take: () => begin(world, free, attempt + 1, service) });
  }
  return out;
}

function hasRoom(world: World, { scenario }: Service): boolean {
  const own = world.facts.filter((code) => (code & 7) !== 0).length + Number(world.flight !== 0);
  return own < scenario.facts;
}

function sent(world: World, index: number, { attempt, run, tokenEpoch }: Slot, type: MessageType): World {
  if (attempt > MAX_ATTEMPT) return world;
  const code = packMessage({ type, attempt, worker: index, run, tokenEpoch, known: false });
  return { ...world, facts: withOne(world.facts, code) };
}
