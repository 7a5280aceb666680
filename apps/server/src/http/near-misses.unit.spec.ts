import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { isSlip, nearMisses } from './near-misses.js';

const Call = Type.Object({
  reason: Type.String(),
  dryRun: Type.Optional(Type.Boolean()),
  to: Type.Optional(Type.String()),
  filter: Type.Optional(Type.Object({ queue: Type.Optional(Type.String()), errorClass: Type.Optional(Type.String()) })),
});

describe('a member that is not known', () => {
  it.each([
    [{ reason: 'x', dryrun: true }, 'dryrun', 'dryRun'],
    [{ reason: 'x', dry_run: true }, 'dry_run', 'dryRun'],
    [{ reason: 'x', 'DRY-RUN': true }, 'DRY-RUN', 'dryRun'],
    [{ reasons: 'x' }, 'reasons', 'reason'],
    [{ raeson: 'x' }, 'raeson', 'reason'],
    [{ reason: 'x', filter: { queues: 'a' } }, 'filter/queues', 'queue'],
    [{ reason: 'x', filter: { errorClas: 'a' } }, 'filter/errorClas', 'errorClass'],
    [{ reason: 'x', fliter: {} }, 'fliter', 'filter'],
  ])('in %j is a slip', (body, field, meant) => {
    expect(nearMisses(Call, body)).toEqual([expect.objectContaining({ field, rule: `is not known here; did you mean \`${meant}\`?` })]);
  });

  it.each([
    [{ reason: 'x', note: 'y' }],
    [{ reason: 'x', dryRun: true, dryrun: true }],
    [{ reason: 'x', two: 1, t: 1 }],
    [{ reason: 'x', filter: { kind: 'a' } }],
    [{ reason: 'x', filter: ['queues'] }],
    [{ reason: 'x', filter: null }],
    [['reasons']],
    [{ reason: 'x', constructor: 1, toString: 1 }],
  ])('in %j is let be', (body) => {
    expect(nearMisses(Call, body)).toEqual([]);
  });
});

it('a slip is one letter, and not two', () => {
  expect([isSlip('until', 'untill'), isSlip('utnil', 'until'), isSlip('untli', 'until'), isSlip('unites', 'until')]).toEqual([true, true, true, false]);
  expect([isSlip('from', 'form'), isSlip('to', 'too'), isSlip('From', 'from')]).toEqual([false, false, true]);
});
