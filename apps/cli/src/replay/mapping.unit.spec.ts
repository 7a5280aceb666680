import { describe, expect, it } from 'vitest';
import { columnsOf, readMapping } from './mapping.js';

const NO_FILE = (): string => {
  throw new Error('ENOENT: no such file');
};

function faultsOf(...parts: string[]): readonly string[] {
  const read = readMapping(parts, NO_FILE);
  return read.ok ? [] : read.faults;
}

describe('a mapping', () => {
  it('is made of pairs and files, the later ones winning', () => {
    const file = JSON.stringify({
      id: 'name',
      queue: 'qos',
      succeeded: ['A', 'B'],
      outcome: 'phase',
      queued: 'at',
      unit: 's',
      retryable: false,
    });
    const read = readMapping(['m.json', 'queue=class', 'started=at+wait'], () => file);
    expect(read).toMatchObject({
      ok: true,
      value: {
        id: 'name',
        queue: 'class',
        succeeded: ['A', 'B'],
        queued: ['at'],
        started: ['at', 'wait'],
        unit: 's',
        retryable: false,
      },
    });
    expect(read.ok && columnsOf(read.value)).toEqual(['name', 'class', 'at', 'wait', 'phase']);
  });

  it('says what is wrong all at once', () => {
    expect(faultsOf('unit=days', 'nonsense=1', 'origin=yesterday')).toEqual([
      expect.stringContaining('"nonsense" is no key of a mapping'),
      expect.stringContaining('unit must be one of iso, s, ms, us'),
      expect.stringContaining('no column for the job id'),
      expect.stringContaining('names no queue'),
      expect.stringContaining('names no time'),
      expect.stringContaining('origin must be an instant'),
    ]);
  });

  it('refuses what cannot mean anything: sums of instants, outcomes without values, a file that is none', () => {
    expect(faultsOf('id=a', 'queue=b', 'queued=c+d')).toEqual([expect.stringContaining('only numeric times')]);
    expect(faultsOf('id=a', 'queue=b', 'queued=c', 'outcome=d')).toEqual([expect.stringContaining('no values')]);
    expect(faultsOf('gone.json', 'id=a', 'queue=b', 'queued=c')).toEqual([
      expect.stringContaining('gone.json: ENOENT'),
    ]);
  });
});
