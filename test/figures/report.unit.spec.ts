import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tellAll, type Count, type Figure, type Progress } from './report.js';

beforeEach(() => {
  for (const way of ['log', 'error'] as const) vi.spyOn(console, way).mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const figure = (run: () => Promise<readonly Count[]>): Figure<Progress> => ({ name: 'writes', title: 'Writes', run: async () => ({ method: [], lines: [], counts: await run() }) });
const exitCode = async (...figures: readonly Figure<Progress>[]) => await tellAll(figures, (progress) => ({ progress }));
const counted = (found: number, wanted: Count['wanted']) => figure(() => Promise.resolve([{ of: 'writes', found, wanted }]));

it('ends well only where every count is as wanted', async () => {
  expect(await exitCode(counted(1, { exactly: 1 }), counted(2, { atMost: 2 }), counted(3, { atLeast: 2 }))).toBe(0);
});

it.each([
  ['other than wanted', 2, { exactly: 1 }],
  ['too many', 3, { atMost: 2 }],
  ['too few', 1, { atLeast: 2 }],
  ['no number', Number.NaN, { exactly: 0 }],
  ['no number', Number.NaN, { atMost: 2 }],
  ['of no run at all', -Infinity, { atLeast: 1 }],
] as const)('a count that is %s (%d) ends in failure', async (_, found, wanted) => {
  expect(await exitCode(counted(1, { exactly: 1 }), counted(found, wanted))).toBe(1);
});

it('a figure that breaks off ends in failure', async () => {
  expect(await exitCode(figure(() => Promise.reject(new Error('no cluster'))), counted(1, { exactly: 1 }))).toBe(1);
});
