import { giveBack, type NativeStart } from './native-end.js';
import type { Runner } from './run-job.js';

/**
 * This release is out of service in the worker's queue: the job goes back to the front, for the workers of others, and this worker
 * takes nothing more until its release is let in again. One that is paused already stays so: somebody else has paused it.
 */
export async function standAside(runner: Pick<Runner, 'admitted'>, native: NativeStart): Promise<never> {
  const { worker } = native;
  if (!worker.isPaused()) {
    await worker.pause(true);
    void runner.admitted(worker.name).then(async () => {
      // It is closed by whoever has made it.
      if (worker.closing === undefined) await worker.resume();
    });
  }
  return await giveBack(native);
}
