import type { BenchServer } from './bench-server.js';

/** What a figure gets. */
export interface Bench {
  readonly server: BenchServer;
  /** A fraction of the work, for a look while developing: the ratios then say little. */
  readonly quick: boolean;
  /** Says what is being done. */
  readonly progress: (text: string) => void;
}

export interface Figure {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<FigureResult>;
}

export interface FigureResult {
  /** How it was measured, so that the number can be judged, and measured again elsewhere. */
  readonly method: readonly string[];
  /** The figures themselves, for people. */
  readonly lines: readonly string[];
  /** The same for programs. */
  readonly values: Readonly<Record<string, number>>;
  /** Everything that was measured. */
  readonly raw: readonly RawValues[];
  readonly counts: readonly Count[];
}

export interface RawValues {
  readonly of: string;
  readonly unit: string;
  readonly values: readonly number[];
}

/** A number that must be exact: a time may disappoint, a lost row may not. */
export interface Count {
  readonly of: string;
  readonly expected: number;
  readonly found: number;
}

/** Said beside a figure that has a mark to reach; never decides over the exit code. */
export function mark(reached: boolean): 'PASS' | 'MISS' {
  return reached ? 'PASS' : 'MISS';
}

export function shown(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
