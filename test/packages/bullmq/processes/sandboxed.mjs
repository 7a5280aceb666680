// A processor in a file of its own: BullMQ runs it in another process.
import { fenceOf } from '@jobwarden/bullmq';

export default async function run(job) {
  await job.updateProgress(50);
  return { ...fenceOf(job), data: job.data };
}
