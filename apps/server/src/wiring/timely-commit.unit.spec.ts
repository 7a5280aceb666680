import { describe, expect, it } from 'vitest';
import { TimelyCommit } from './timely-commit.js';

interface Item {
  readonly name: string;
}

/** A commit that waits until it is let go. */
function gated() {
  const committed: string[][] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commit = async (items: readonly Item[]) => {
    await gate;
    committed.push(items.map((i) => i.name));
    return items.map((i) => `done ${i.name}`);
  };
  return { committed, commit, release: () => release() };
}

describe('a group commit with a limit on waiting', () => {
  it('tells who waits too long, drops what he wanted, and still answers who had begun', async () => {
    const { committed, commit, release } = gated();
    const group = new TimelyCommit(commit, 30);
    const begun = [group.submit([{ name: 'a' }]), group.submit([{ name: 'b' }])];
    const waiting = group.submit([{ name: 'c' }, { name: 'd' }]);
    await expect(waiting).rejects.toMatchObject({ code: 'connection_exhaustion' });
    const later = group.submit([{ name: 'e' }]);
    release();
    expect(await Promise.all(begun)).toEqual([['done a'], ['done b']]);
    expect(await later).toEqual(['done e']);
    expect(committed).toEqual([['a'], ['b'], ['e']]);
  });
});
