/** Waits for all of them, also where one has failed: what is cleaned up then is not begun by another afterwards. Throws what failed first in their order. */
export async function settled(all: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason;
}
