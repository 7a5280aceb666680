/** Where a command writes. Results go to standard output; progress, hints and faults to standard error. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Without a line end: for a progress bar. */
  errRaw(text: string): void;
  /** Somebody is watching standard error. */
  readonly interactive: boolean;
  readonly columns: number;
}

export interface Context {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ctrl-C: long work stops after its current step. */
  readonly signal: AbortSignal;
}

export function processTerminal(): Terminal {
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    errRaw: (text) => void process.stderr.write(text),
    interactive: process.stderr.isTTY,
    columns: process.stderr.columns,
  };
}
