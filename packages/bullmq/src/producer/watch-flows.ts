import type { FlowJob, FlowProducer, JobNode } from 'bullmq';
import { carrying, type Producing } from './watch-queue.js';
import { queuedFact } from './queued.js';

const watched = new WeakSet();

/** Lets `add` and `addBulk` of a flow producer tell `queued` of each job in the tree. The same object again. */
export function watchFlows<F extends FlowProducer>(flows: F, { owner, tell, intake }: Producing): F {
  if (watched.has(flows)) return flows;
  watched.add(flows);
  const prepared = (job: FlowJob): FlowJob => ({
    ...job,
    opts: carrying(owner, job.opts),
    ...(job.children !== undefined && { children: job.children.map((child) => prepared(child)) }),
  });
  const toldAll = ({ job, children = [] }: JobNode): void => {
    tell(queuedFact(job));
    for (const child of children) toldAll(child);
  };
  const add = flows.add.bind(flows);
  const addBulk = flows.addBulk.bind(flows);
  flows.add = async (flow, opts) => {
    await allowed([flow], intake);
    const tree = await add(prepared(flow), opts);
    toldAll(tree);
    return tree;
  };
  flows.addBulk = async (jobs) => {
    await allowed(jobs, intake);
    const trees = await addBulk(jobs.map((job) => prepared(job)));
    for (const tree of trees) toldAll(tree);
    return trees;
  };
  return flows;
}

/** A tree is added as a whole, so each of its queues is asked before, for all of its jobs there. */
async function allowed(flows: readonly FlowJob[], intake: Producing['intake']): Promise<void> {
  const places = new Map<string, number>();
  const count = ({ queueName, children = [] }: FlowJob): void => {
    places.set(queueName, (places.get(queueName) ?? 0) + 1);
    for (const child of children) count(child);
  };
  for (const flow of flows) count(flow);
  for (const [queue, jobs] of places) await intake(queue, jobs);
}
