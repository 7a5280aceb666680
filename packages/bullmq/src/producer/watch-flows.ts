import type { FlowJob, FlowProducer, JobNode } from 'bullmq';
import { carrying, type Producing } from './watch-queue.js';
import { queuedFact } from './queued.js';

const watched = new WeakSet();

/** Lets `add` and `addBulk` of a flow producer tell `queued` of each job in the tree. The same object again. */
export function watchFlows<F extends FlowProducer>(flows: F, { owner, tell }: Producing): F {
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
    const tree = await add(prepared(flow), opts);
    toldAll(tree);
    return tree;
  };
  flows.addBulk = async (jobs) => {
    const trees = await addBulk(jobs.map((job) => prepared(job)));
    for (const tree of trees) toldAll(tree);
    return trees;
  };
  return flows;
}
