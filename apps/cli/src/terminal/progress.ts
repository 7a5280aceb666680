import type { Terminal } from './terminal.js';

const BAR = 24;
/** Redraws of the bar, and lines where nobody watches: no more often than this, ms. */
const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** How far long work has got: a bar where somebody watches, else a line every few seconds. Silent with `quiet`. */
export class Progress {
  private shownMs: number;
  private drawn = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly quiet: boolean,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.shownMs = nowMs();
  }

  /** Where nobody knows how much there is. */
  updateUnknown(text: string): void {
    if (!this.isDue()) return;
    if (this.terminal.interactive) this.draw(text);
    else this.terminal.err(text);
  }

  /** `share` from 0 to 1. */
  update(share: number, text: string): void {
    if (!this.isDue()) return;
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    if (this.terminal.interactive) {
      const filled = Math.round(share * BAR);
      this.draw(`[${'#'.repeat(filled)}${' '.repeat(BAR - filled)}]${percent}  ${text}`);
    } else {
      this.terminal.err(`${percent.trim()}  ${text}`);
    }
  }

  private isDue(): boolean {
    if (this.quiet) return false;
    const now = this.nowMs();
    if (now - this.shownMs < (this.terminal.interactive ? REDRAW_MS : LINE_MS)) return false;
    this.shownMs = now;
    return true;
  }

  private draw(line: string): void {
    this.terminal.errRaw(`\r${line.slice(0, Math.max(40, this.terminal.columns - 1))}\u001b[K`);
    this.drawn = true;
  }

  /** Takes the bar away: what follows is the result. */
  done(): void {
    if (this.drawn) this.terminal.errRaw('\r\u001b[K');
    this.drawn = false;
  }
}
