import { describe, expect, it } from 'vitest';
import {
  foldIncident,
  MAX_REPEATS,
  MAX_STEPS,
  nextStep,
  repeatedStep,
  type IncidentStep,
  type IncidentStepDraft,
} from './incident.js';
import type { IncidentStepType } from './step-types.js';

const draft = (type: IncidentStepType, reason: string = type): IncidentStepDraft => ({ type, reason, by: 'jobwarden' });

/** The steps that come of these drafts, one after the other, a second apart; those refused are left out. */
function history(...drafts: readonly IncidentStepDraft[]): IncidentStep[] {
  const steps: IncidentStep[] = [];
  for (const [i, one] of drafts.entries()) {
    const decision = nextStep(steps, one, (i + 1) * 1_000);
    if ('step' in decision) steps.push(decision.step);
  }
  return steps;
}

describe('an incident', () => {
  it('is a fold of its steps', () => {
    const opened = history(draft('opened', 'the lane is out of range'));
    expect(foldIncident(opened)).toEqual({
      status: 'open',
      summary: 'the lane is out of range',
      openedMs: 1_000,
      resolvedMs: null,
      n: 1,
    });
    const whole = history(draft('opened', 'the lane is out of range'), draft('noted'), draft('resolved', 'seek'));
    expect(foldIncident(whole)).toEqual({
      status: 'resolved',
      summary: 'the lane is out of range',
      openedMs: 1_000,
      resolvedMs: 3_000,
      n: 3,
    });
    expect(foldIncident([])).toBeNull();
  });

  it('has steps without a gap, and does not fold others', () => {
    const steps = history(draft('opened'), draft('noted', 'a'), draft('noted', 'b'));
    expect(steps.map((s) => s.n)).toEqual([1, 2, 3]);
    expect(() => foldIncident(steps.slice(1))).toThrow('does not follow');
    expect(() => foldIncident([...steps.slice(0, 1), ...steps.slice(2)])).toThrow('does not follow');
  });

  it('begins with its opening, which comes once', () => {
    expect(nextStep([], draft('noted'), 1)).toEqual({ refused: 'unopened' });
    expect(nextStep([], draft('resolved'), 1)).toEqual({ refused: 'unopened' });
    expect(nextStep(history(draft('opened')), draft('opened'), 1)).toEqual({ refused: 'closed' });
  });

  it('takes no step once it is resolved', () => {
    const over = history(draft('opened'), draft('resolved'));
    for (const type of ['opened', 'noted', 'resolved'] as const) {
      expect(nextStep(over, draft(type), 9), type).toEqual({ refused: 'closed' });
    }
    expect(repeatedStep(over, draft('opened', 'again'), 9)).toBeNull();
  });

  it('is noted only so often, and can always be resolved', () => {
    const notes = Array.from({ length: MAX_STEPS + 10 }, (_, i) => draft('noted', String(i)));
    const full = history(draft('opened'), ...notes);
    expect(full.length).toBe(MAX_STEPS);
    expect(nextStep(full, draft('noted', 'one more'), 9)).toEqual({ refused: 'full' });
    expect(nextStep(full, draft('resolved'), 9)).toMatchObject({ step: { n: MAX_STEPS + 1 } });
  });

  it('opened again gets a note for what is new, a bounded number of times', () => {
    const steps = history(draft('opened', 'lag 5 s'));
    expect(repeatedStep(steps, draft('opened', 'lag 5 s'), 2)).toBeNull();
    expect(repeatedStep(steps, draft('opened', 'lag 6 s'), 2)).toMatchObject({ type: 'noted', n: 2, reason: 'lag 6 s' });
    for (let i = 0; i < 100; i += 1) {
      const note = repeatedStep(steps, draft('opened', `lag ${String(i)} min`), i);
      if (note !== null) steps.push(note);
    }
    expect(steps.length).toBe(MAX_REPEATS + 1);
  });
});
