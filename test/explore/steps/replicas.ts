import { packCommand } from '../messages.js';
import type { Service } from '../service.js';
import type { DecisionDraft } from '#libs/domain';
import type { Pending, World } from '../world.js';
import type { Step, Steps } from './step.js';

/** The reconcilers of two replicas, each of which reads and appends in separate steps. */
export const replicas: Steps = (world, service) => {
  const out: Step[] = [];
  const due = world.pending.length < service.scenario.replicas ? service.due(world) : null;
  if (due !== null) {
    const drafts = due.drafts.map(withoutEvidence);
    const { dueMs, gated } = due.plan;
    const pending: Pending = { drafts, n: service.rowOf(world).view.n + 1, dueMs, gated };
    out.push({ by: 'service', say: `a replica reads that ${sayDrafts(drafts)} is due`, take: () => read(world, pending, service) });
  }
  world.pending.forEach((pending, i) => {
    if (i > 0 && isSame(pending, world.pending[i - 1]!)) return;
    const rest = { ...world, pending: world.pending.toSpliced(i, 1) };
    out.push({ by: 'service', say: `a replica appends ${sayDrafts(pending.drafts)} as number ${pending.n}`, take: () => append(rest, pending, service) });
    if (!service.rules.rowCheck || !service.rules.leaseCheck) out.push({ by: 'fault', say: 'a replica dies', take: () => rest });
  });
  return out;
};

function read(world: World, pending: Pending, { rules }: Service): World {
  const next = { ...world, pending: [...world.pending, pending] };
  if (rules.commitFirst) return next;
  const early = pending.drafts.filter((d) => d.kind === 'requeued');
  const commands = early.map(({ attempt }) => packCommand({ kind: 'enqueue', attempt, tokenEpoch: 0 }));
  return { ...next, commands: [...world.commands, ...commands].sort((a, b) => a - b) };
}

function append(world: World, { drafts, n, dueMs, gated }: Pending, service: Service): World {
  service.witness.deciding(world, service.rowOf(world), drafts, gated ? dueMs : null);
  return service.commit(world, null, drafts, n);
}

function withoutEvidence(draft: DecisionDraft): DecisionDraft {
  const bare = { ...draft };
  delete bare.evidence;
  return bare;
}

function isSame(a: Pending, b: Pending): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export function sayDrafts(drafts: readonly DecisionDraft[]): string {
  return drafts.map(({ kind, attempt, reason }) => `${kind}(${attempt}, ${reason})`).join(' and ');
}
