/** Reads commands until it is closed. */
export interface CommandConsumer {
  /**
   * Resolves once it is about to read; rejects with an OwnersError, and nothing is read, where the queue and Jobwarden would both
   * recover its jobs.
   */
  readonly ready: Promise<void>;
  /** How many commands had which outcome since the start. */
  stats(): Readonly<Record<string, number>>;
  /** Ends the reading; the command that is being dealt with is done first. Idempotent. */
  close(): Promise<void>;
}

/** What a consumer works with. */
export interface Consumption<C, O extends string> {
  /** Ends the work. */
  readonly signal: AbortSignal;
  /** Counts what became of a command, and hands it to `onCommand`. */
  readonly note: (command: C, outcome: O) => void;
  /** Counts what was no command. */
  readonly count: (what: string) => void;
}

export interface Consumer<C, O extends string> {
  /** Before anything is read. What it rejects with, `ready` rejects with, and nothing is read. */
  readonly begin: (consumption: Consumption<C, O>) => Promise<unknown>;
  /** Resolves once `signal` is aborted and all is done; must not reject. */
  readonly work: (consumption: Consumption<C, O>) => Promise<unknown>;
  /** Called when it is closed, before the end of the work is awaited. Default: nothing. */
  readonly stop?: (() => Promise<unknown>) | undefined;
  /** Called with what became of each command. Default: it is counted only. */
  readonly onCommand?: ((command: C, outcome: O) => void) | undefined;
}

/** What consumers of commands have in common, whatever queue they put the jobs back into. */
export function commandConsumer<C, O extends string>({ begin, work, stop, onCommand }: Consumer<C, O>): CommandConsumer {
  const ended = new AbortController();
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const note = (command: C, outcome: O): void => {
    count(outcome);
    onCommand?.(command, outcome);
  };
  const consumption = { signal: ended.signal, note, count };
  const ready = begin(consumption).then(() => undefined);
  const working = ready.then(
    () => work(consumption),
    () => undefined,
  );
  return {
    ready,
    stats: () => ({ ...counts }),
    close: async () => {
      ended.abort();
      await stop?.();
      await working;
    },
  };
}
