/** A planned time in which signals of a part of the installation lead to nothing. They are kept, settled by `maintenance`. */
export interface MaintenanceScope {
  /** null: every namespace. */
  readonly namespace: string | null;
  /** null: every queue of the namespace. Never without a namespace. */
  readonly queue: string | null;
  /** Queues whose policy names this target, such as `prod/mail-worker`; null: whatever their target. */
  readonly target: string | null;
}

export interface MaintenanceWindow extends MaintenanceScope {
  readonly id: string;
  readonly fromMs: number;
  /** Not included. */
  readonly untilMs: number;
  readonly reason: string;
  readonly by: string;
  readonly madeMs: number;
  /** Ended before its time; null: it was not. */
  readonly endedMs: number | null;
  readonly endedBy: string | null;
}

export interface SignalPlace {
  readonly namespace: string;
  readonly queue: string;
  /** By the queue's policy; null: there is none. */
  readonly target: string | null;
}

/** The window that silences a signal at this moment; of several the one that ends last. */
export function silencedBy(place: SignalPlace, windows: readonly MaintenanceWindow[], atMs: number): MaintenanceWindow | null {
  let found: MaintenanceWindow | null = null;
  for (const window of windows) {
    if (!covers(window, place) || atMs < window.fromMs || atMs >= endOf(window)) continue;
    if (found === null || endOf(window) > endOf(found)) found = window;
  }
  return found;
}

function covers({ namespace, queue, target }: MaintenanceScope, place: SignalPlace): boolean {
  if (namespace !== null && namespace !== place.namespace) return false;
  if (queue !== null && queue !== place.queue) return false;
  return target === null || target === place.target;
}

function endOf({ untilMs, endedMs }: MaintenanceWindow): number {
  return endedMs === null ? untilMs : Math.min(untilMs, endedMs);
}
