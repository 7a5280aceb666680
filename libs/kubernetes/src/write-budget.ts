import { OrchestratorError, type ApplyOptions } from '#libs/application';

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
    private readonly mayWrite: NonNullable<ApplyOptions['mayWrite']> = () => Promise.resolve(true),
  ) {}

  get left(): number {
    return this.writes;
  }

  /** Before each call that writes. Throws where none is left, or it may not any more: what was written by then stands, and a new look shows it. */
  async spend(): Promise<void> {
    if (!(await this.mayWrite())) {
      this.writes = 0;
      throw new OrchestratorError('conflict', `${this.target}: it is not to be written any more`);
    }
    if (this.writes <= 0) throw new OrchestratorError('conflict', `${this.target}: not all of it is written yet, and no call is left for the rest`);
    this.writes -= 1;
  }
}
