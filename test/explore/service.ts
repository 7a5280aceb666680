import { numbered, writeRefusal, takeInBeat, draftsOf, refusedWrite } from '#libs/domain';
import type { DecisionDraft, Fact, Heartbeat, JobEvent, Plan, QueuePolicy, StartedFact, Subject } from '#libs/domain';
import type { Rules } from './code.js';
import { factOf, unpackMessage, type Message } from './messages.js';
import { Rows, type Row } from './rows.js';
import { policyOf, type Scenario } from './scenario.js';
import type { Witness } from './witness.js';
import type { Entry, World } from './world.js';

const LEASE_MS = 1;

/** The service: transactions on the row, made of the real fold, intake, plans and claims. Each answers the world after it. */
export class Service {
  readonly rows: Rows;
  readonly policy: QueuePolicy;
  private readonly plans = new Map<number, Plan | null>();

  constructor(
    readonly scenario: Scenario,
    readonly rules: Rules,
    readonly witness: Witness,
  ) {
    this.policy = policyOf(scenario);
    this.rows = new Rows(rules.code, this.policy, (row) => witness.met(row, this.rows));
  }

  rowOf(world: World): Row {
    return this.rows.at(world.row);
  }

  readMs(world: World): number {
    return this.rules.watermark && world.flight !== 0 ? Math.min(world.now, world.since) : world.now;
  }

  subject(world: World): Subject {
    const { state, view, limits } = this.rowOf(world);
    const lease = world.beat === 0 ? null : { beatMs: world.beat, leaseMs: LEASE_MS };
    return { state, view, limits, lease, policy: this.policy, epoch: world.epoch, gapEndMs: 0, spread: () => 0 };
  }

  plan(world: World): Plan | null {
    const key = (world.row * 64 + world.beat) * 8 + world.epoch;
    let plan = this.plans.get(key);
    if (plan === undefined) {
      // Reports change nothing here: 0 asks for the first.
      plan = this.rules.code.planOf(this.subject(world), 0);
      this.plans.set(key, plan);
    }
    return plan;
  }

  /** The plan, where a reconciler that looks now would carry it out. */
  due(world: World): { readonly plan: Plan; readonly drafts: readonly DecisionDraft[] } | null {
    const plan = this.plan(world);
    if (plan?.planned.kind !== 'decide') return null;
    if (plan.dueMs <= world.now && plan.gated && plan.dueMs > this.readMs(world)) this.witness.heldByWatermark();
    return plan.dueMs <= (plan.gated ? this.readMs(world) : world.now) ? { plan, drafts: plan.planned.drafts } : null;
  }

  receive(world: World, code: number): World {
    const message = unpackMessage(code);
    if (message.known) {
      this.witness.repeated();
      if (this.rules.uniqueIds) return world;
      this.witness.appendedTwice();
    }
    const fact = this.stamped(world, message);
    return fact.type === 'heartbeat' ? this.beat(world, fact) : this.takeIn(world, fact);
  }

  private stamped(world: World, message: Message): Fact | Heartbeat {
    const { attempt, tokenEpoch } = message;
    const token = tokenEpoch === null ? null : tokenEpoch * 2 ** 32 + attempt;
    return factOf(message, { laneMs: world.now, epoch: world.epoch, ownerQueue: this.scenario.mode === 'owner', token });
  }

  private takeIn(world: World, stamped: Fact): World {
    const intake = this.rules.code.takeIn(this.rowOf(world).state, stamped, {
      stopsAllowed: this.rules.stopsAllowed,
      tokensRequired: this.policy.claims === 'required',
      epoch: world.epoch,
    });
    const { fact, drafts } = draftsOf(intake);
    if (fact !== null) this.witness.accepted(world, fact, this.rowOf(world));
    return this.commit(world, fact, drafts);
  }

  private beat(world: World, beat: Heartbeat): World {
    const { state, view } = this.rowOf(world);
    const { attempt } = beat;
    const refusal = writeRefusal(state, beat, { tokensRequired: this.policy.claims === 'required', epoch: world.epoch });
    if (refusal !== null) {
      const told = state.decisions.some((d) => d.kind === 'write-refused' && d.attempt === attempt && d.reason === refusal);
      return told ? world : this.commit(world, null, [refusedWrite(beat, attempt, refusal)]);
    }
    const change = takeInBeat(state, view, attempt);
    if (change === 'elsewhere' || change === 'nothing') return world;
    const { source, id, laneMs, epoch, token, ownerQueue, worker = { id: source } } = beat;
    const start: StartedFact = {
      ...{ type: 'started', source, id, laneMs, attempt, worker },
      ...(epoch !== undefined && { epoch }),
      ...(token !== undefined && { token }),
      ...(ownerQueue !== undefined && { ownerQueue }),
    };
    const begun = change === 'lease' ? world : this.takeIn(world, start);
    return this.leaseChanged({ ...begun, beat: world.now });
  }

  /** One transaction under the row's lock: numbered, folded, and whoever had read the row before has read an old one. */
  commit(world: World, fact: Fact | null, drafts: readonly DecisionDraft[], firstN = this.rowOf(world).view.n + 1): World {
    const before = this.rowOf(world);
    const events: JobEvent[] = fact === null ? [] : [{ kind: 'fact', fact }];
    drafts.forEach((draft, i) => {
      const bare = { ...draft };
      // For people, and for the next worker: no rule reads them again, and every row would be there twice.
      delete bare.evidence;
      delete bare.previousWorker;
      events.push(numbered(bare, firstN + i, world.now));
    });
    this.witness.appending(before, events);
    const after = this.rows.append(before, events);
    this.witness.committed(before, after, events);
    const next: World = {
      ...world,
      row: after.id,
      beat: after.view.attempt === before.view.attempt ? world.beat : 0,
      outbox: [...world.outbox, ...this.goingOut(drafts)],
    };
    return this.rules.rowCheck ? { ...next, pending: NOTHING } : next;
  }

  private goingOut(drafts: readonly DecisionDraft[]): Entry[] {
    return drafts.flatMap((draft): Entry[] => {
      const said = this.rules.code.saidBy(draft);
      const command = said === 'dead-letter' ? null : said;
      const invalidates = draft.kind === 'requeued';
      return command === null && !invalidates ? [] : [{ command, invalidates, attempt: draft.attempt }];
    });
  }

  leaseChanged(world: World): World {
    return this.rules.leaseCheck ? { ...world, pending: NOTHING } : world;
  }
}

const NOTHING: World['pending'] = [];
