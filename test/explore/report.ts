import { INVARIANTS, type Invariant } from './invariants.js';
import { BUDGET_KEYS, type Scenario } from './scenario.js';
import type { Explored } from './search.js';

/** A line that is written over on a terminal, and not at all elsewhere. */
export class Progress {
  private shown = false;

  of(name: string): (states: number, depth: number, waiting: number) => void {
    return (states, depth, waiting) => {
      if (!process.stderr.isTTY) return;
      process.stderr.write(`\r${name}: ${states} states, depth ${depth}, ${waiting} to expand      `);
      this.shown = true;
    };
  }

  done(): void {
    if (this.shown) process.stderr.write('\r\u001b[K');
    this.shown = false;
  }
}

export function sayExplored(scenario: Scenario, { states, steps, depth, rows, whole }: Explored, ms: number): string {
  const size = `${states} states, ${steps} steps, depth ${depth}, ${rows} rows, ${(ms / 1_000).toFixed(1)} s${whole ? '' : ', CUT: not explored to its end'}`;
  return `  ${scenario.name.padEnd(32)} ${size}\n    ${boundsOf(scenario)}`;
}

function boundsOf({ mode, retries, republish, facts, commands, budget }: Scenario): string {
  const rare = BUDGET_KEYS.filter((key) => budget[key] > 0).map((key) => `${key} ${budget[key]}`);
  return [`mode ${mode}`, `retries ${retries}`, `republish ${republish}`, `facts ${facts}`, `commands ${commands}`, ...rare].join(', ');
}

export function sayTrace(invariant: Invariant, trace: readonly string[]): string {
  const lines = trace.map((say, i) => `    ${String(i + 1).padStart(3)}. ${say}`);
  return [`    !! not so: ${INVARIANTS[invariant]}`, ...lines].join('\n');
}
