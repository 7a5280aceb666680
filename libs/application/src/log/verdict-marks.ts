import type { Action } from '#libs/domain';
import type { AttemptGrade, GradeSign, Settlement, VerdictWrite } from '../ports/log-store.port.js';

/**
 * What a job's row says of the verdicts on it, as bits: facts and heartbeats of the many jobs that nothing was ever said
 * of must not look for verdicts to grade.
 *
 *   would-have ──► resting ──► a fact, a heartbeat, a decision ──► not resting
 *                     └── approved ──► looked at, and decided or refused
 *   watched, and by heartbeats too while it rests on silence: also after the attempt was replaced
 */
export const MARKS = {
  /** A would-have of the current attempt stands: the job is not looked at until something changes. */
  resting: 1,
  /** Somebody has approved one. */
  approved: 2,
  /** Something was said or done of an attempt, and its own late facts grade it. */
  watched: 4,
  /** So do heartbeats: what was said or done rests on silence. */
  silence: 8,
} as const;

/** A program of before knew one bit. */
export function marksOf(stored: number): number {
  return stored === MARKS.resting ? MARKS.resting | MARKS.watched | MARKS.silence : stored;
}

export function has(marks: number, mark: number): boolean {
  return (marks & mark) !== 0;
}

/** What was approved of a job, as far as it may still matter. */
export interface Approval {
  readonly verdictId: number;
  readonly attempt: number;
  readonly action: Action;
  readonly reason: string;
  readonly decision: string;
  /** `decided`: it was begun, and what follows from it within the attempt goes ahead. */
  readonly state: 'approved' | 'decided';
  readonly untilMs: number;
  readonly by: string;
  readonly why: string;
}

/** Strongest first: of several signs of an attempt in one batch one counts. */
const STRENGTH: readonly GradeSign[] = ['succeeded', 'failed', 'sign', 'beat', 'next'];

/** Collects what one change means for the verdicts on its job. */
export class VerdictBook {
  private readonly signs = new Map<number, GradeSign>();
  private readonly added: VerdictWrite[] = [];
  private moved = false;
  private over = false;

  constructor(private readonly before: number) {}

  get changed(): boolean {
    return this.added.length + this.signs.size > 0;
  }

  get verdicts(): readonly VerdictWrite[] {
    return this.added;
  }

  get grades(): readonly AttemptGrade[] {
    return [...this.signs].map(([attempt, sign]) => ({ attempt, sign }));
  }

  add(verdict: VerdictWrite): void {
    this.added.push(verdict);
  }

  /** Something came of an attempt. Of a job that nothing was said of it means nothing. */
  saw(attempt: number, sign: GradeSign): void {
    if (!has(this.before, MARKS.watched)) return;
    const known = this.signs.get(attempt);
    if (known === undefined || STRENGTH.indexOf(sign) < STRENGTH.indexOf(known)) this.signs.set(attempt, sign);
  }

  /** What the job rested on is past: a fact of the current attempt, or a decision. `over`: so is what was approved. */
  moves(over: boolean): void {
    this.moved = true;
    this.over ||= over;
  }

  /** Approvals that were looked at: what was begun goes on, anything else is over. */
  settle(settled: readonly Settlement[]): void {
    if (settled.length > 0 && !settled.some((s) => s.state === 'decided')) this.over = true;
    // Nothing is due any more: what the job rested on is void.
    if (settled.some((s) => s.refusal === 'not_due' || s.refusal === 'moved_on')) this.moved = true;
  }

  /** null: as they were. */
  marks(currentAttempt: number): number | null {
    let marks = this.before;
    if (this.moved) marks &= ~MARKS.resting;
    if (this.over) marks &= ~MARKS.approved;
    const resting = has(this.before, MARKS.resting);
    for (const [attempt, sign] of this.signs) {
      // Once graded by one heartbeat, all others say the same; but an older attempt's leave the mark to the current one.
      if (sign !== 'next' && (attempt === currentAttempt || !resting)) marks &= ~MARKS.silence;
    }
    for (const { kind, verdict } of this.added) {
      if (kind === 'report') continue;
      marks |= MARKS.watched | (verdict === 'hung' ? 0 : MARKS.silence);
      if (kind === 'would-have') marks = (marks | MARKS.resting) & ~MARKS.approved;
    }
    return marks === this.before ? null : marks;
  }

  /** Would-haves of the job that still stand do so no more. */
  get lapses(): boolean {
    const stood = has(this.before, MARKS.resting | MARKS.approved);
    return stood && this.moved && !this.added.some((v) => v.kind === 'would-have');
  }
}
