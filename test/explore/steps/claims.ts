import { epochOfToken, tokenOf, type Claimed, type ClaimRequest } from '#libs/domain';
import { packSlot, unpackCommand, workerOf, WORKERS, type Slot } from '../messages.js';
import type { Service } from '../service.js';
import { left, occupied, oneMoreRun, runsOf, spent, type World } from '../world.js';
import type { Step } from './step.js';

interface Taken {
  readonly index: number;
  /** Of the command. */
  readonly code: number;
  readonly say: string;
  /** Where the command still lies with the queue: whoever is held comes again. */
  readonly kept: World;
}

/** With claims a worker that takes a command asks first. It may name the token of the command, or none. */
export function claims(world: World, { index, code, say, kept }: Taken, service: Service): Step[] {
  const { attempt, tokenEpoch } = unpackCommand(code);
  const asking: Slot = { phase: 'asking', attempt, run: runsOf(world, attempt), tokenEpoch: null };
  const out: Step[] = [];
  for (const named of tokenEpoch === null ? [null] : [null, tokenOf(tokenEpoch, attempt)]) {
    const words = `${say} and claims${named === null ? '' : ' with its token'}`;
    const ask = (from: World, heard: boolean): World => claim(from, { index, asking, named, heard, held: kept }, service);
    out.push({ by: 'worker', say: words, take: () => ask(world, true) });
    if (left(world, 'lostAnswers') > 0) {
      const deaf = { ...world, budget: spent(world, 'lostAnswers') };
      out.push({ by: 'fault', say: `${words}; the answer is lost`, take: () => ask(deaf, false) });
    }
  }
  return out;
}

/** The same claim again, by whoever has had no answer. */
export function askAgain(world: World, index: number, asking: Slot, service: Service): Step[] {
  const name = `worker ${WORKERS[index === 1 ? 1 : 0].id}`;
  const ask = (): World => claim(world, { index, asking, named: null, heard: true, held: world }, service);
  return [
    { by: 'worker', say: `${name} repeats its claim`, take: ask },
    { by: 'fault', say: `${name} dies with its claim`, take: () => occupied(world, index, 0) },
  ];
}

interface Asked {
  readonly index: number;
  readonly asking: Slot;
  readonly named: number | null;
  /** The answer arrives. */
  readonly heard: boolean;
  /** The world after a `held`. */
  readonly held: World;
}

/** One transaction under the locks of row and lease. */
function claim(world: World, { index, asking, named, heard, held }: Asked, service: Service): World {
  const request = { claimId: `${asking.attempt}.${asking.run}`, worker: workerOf(index, asking.run), ...(named !== null && { token: named }) };
  const claimed = service.rules.code.decideClaim(service.subject(world), request, {
    ...{ laneMs: world.now, readMs: service.readMs(world), gate: 'open', actionsEnabled: true, quarantined: false, revisionRefused: false },
  });
  const repeated = world.slots[index] !== 0;
  const begun = repeated ? world : { ...world, runs: oneMoreRun(world, asking.attempt) };
  const written = carryOut(begun, claimed, request, service);
  if (!heard) return occupied(written, index, packSlot(asking));
  if (claimed.kind === 'granted') {
    const { attempt, token } = claimed;
    if (attempt > 1 && claimed.grant === null) service.witness.expect('commandCommitted', attempt <= service.rowOf(world).view.attempt);
    return occupied(written, index, packSlot({ phase: 'running', attempt, run: asking.run, tokenEpoch: epochOfToken(token) }));
  }
  const comesAgain = claimed.kind === 'refused' && claimed.refusal === 'held' && claimed.draft === null;
  return comesAgain ? held : occupied(written, index, 0);
}


function carryOut(world: World, claimed: Claimed, request: ClaimRequest, service: Service): World {
  const { witness } = service;
  const row = service.rowOf(world);
  if (claimed.kind === 'unread') return world;
  if (claimed.kind === 'refused') {
    if (claimed.draft === null) return world;
    witness.deciding(world, row, [claimed.draft], dueMsOf(world, claimed.draft.reason, service));
    return service.commit(world, null, [claimed.draft]);
  }
  const { fact, grant, attempt, token } = claimed;
  if (grant !== null) witness.deciding(world, row, [grant], dueMsOf(world, String(grant.evidence?.['because']), service));
  const redeemedBy = row.state.attempts.get(attempt)?.claimId ?? null;
  if (fact === null) {
    witness.expect('claimAgain', redeemedBy === request.claimId && token === row.view.token);
    return world;
  }
  witness.expect('redemption', redeemedBy === null);
  const granted = grant === null ? world : service.commit(world, null, [grant]);
  return service.leaseChanged({ ...service.commit(granted, fact, []), beat: world.now });
}

/** What a claim calls lost rests on the lease that has ended; else on nothing that a sign could clear. */
function dueMsOf(world: World, because: string, service: Service): number | null {
  if (because !== 'lost') return null;
  const { state, view } = service.rowOf(world);
  return Math.max(world.beat, state.attempts.get(view.attempt)?.lastStartMs ?? 0) + 1;
}
