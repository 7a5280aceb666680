import { OrchestratorError } from '#libs/application';

/** How a write is made. */
export interface WriteOptions {
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  readonly budget: WriteBudget;
}

/**
 * Calls that one write may take, its repetitions included. Counted before they are made, whatever becomes of them: what is refused, and what gets no
 * answer, is a write to the cluster as well, and in an outage it is the refused ones that are many.
 */
export class WriteBudget {
  constructor(
    private readonly target: string,
    private writes: number,
  ) {}

  get left(): number {
    return this.writes;
  }

  /** Before each call that writes. Throws where none is left: what was written by then stands, and a new look shows it. */
  spend(): void {
    if (this.writes <= 0) throw new OrchestratorError('conflict', `${this.target}: not all of it is written yet, and no call is left for the rest`);
    this.writes -= 1;
  }
}
