/** What became of one trouble. */
export interface TroubleReport {
  readonly jobId: string;
  /** What went wrong. */
  readonly trouble: string;
  /** How it was found; null = it was not. */
  readonly found: string | null;
  /** What was done about it; null = nothing. */
  readonly done: string | null;
  /** From the first watch on the job to its good end. */
  readonly tookMs: number;
  /** It was found, dealt with, and the reports say so. */
  readonly settled: boolean;
  /** Where the service shows it. */
  readonly addresses: readonly string[];
}

export type Mark = 'TROUBLE' | 'FOUND' | 'DONE' | 'BACK' | 'RELEASE' | '';

export interface JournalOptions {
  readonly baseUrl: string;
  readonly print: (line: string) => void;
  readonly now?: () => Date;
}

/** Tells what happens as it happens, in plain lines with times. */
export class Journal {
  private readonly beganMs: number;
  private readonly now: () => Date;
  private readonly shown = new Set<string>();

  constructor(private readonly options: JournalOptions) {
    this.now = options.now ?? (() => new Date());
    this.beganMs = this.now().getTime();
  }

  get elapsedMs(): number {
    return this.now().getTime() - this.beganMs;
  }

  say(mark: Mark, text: string): void {
    const time = `${this.now().toISOString().slice(11, 19)}Z`;
    const elapsed = `+${(this.elapsedMs / 1_000).toFixed(1)} s`;
    this.options.print(`${time}  ${elapsed.padStart(7)}  ${mark.padEnd(7)}  ${text}`);
  }

  /** `path`: the page on which a reader can see it; told once per job. */
  tell(mark: Mark, jobId: string, text: string, path?: string): void {
    this.say(mark, `${jobId}: ${text}`);
    const told = `${jobId} ${path ?? ''}`;
    if (path === undefined || this.shown.has(told)) return;
    this.shown.add(told);
    this.options.print(`${' '.repeat(28)}see ${this.options.baseUrl}${path}`);
  }
}
