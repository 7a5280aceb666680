const told = new WeakSet();

/** The end of the attempt is told by somebody else, such as the outbox: the worker has not to tell it. */
export function markTold(job: object): void {
  told.add(job);
}

export const isTold = (job: object): boolean => told.has(job);
