import { describe, expect, it } from 'vitest';
import { Progress } from './progress.js';
import { printable, table } from './table.js';
import type { Terminal } from './terminal.js';

function watched(interactive: boolean): { readonly terminal: Terminal; readonly written: string[] } {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  return { written, terminal: { out: write, err: write, errRaw: write, interactive, columns: 80 } };
}

describe('progress', () => {
  it('is a bar that is drawn over itself where somebody watches, and goes away', () => {
    const { terminal, written } = watched(true);
    let nowMs = 0;
    const progress = new Progress(terminal, false, () => nowMs);
    for (const share of [0.1, 0.25, 0.5]) {
      nowMs += 60;
      progress.update(share, 'rows');
    }
    progress.done();
    expect(written).toEqual(['\r[######                  ] 25 %  rows\u001b[K', '\r\u001b[K']);
  });

  it('is a line now and then where nobody does, and nothing for programs', () => {
    for (const quiet of [false, true]) {
      const { terminal, written } = watched(false);
      let nowMs = 0;
      const progress = new Progress(terminal, quiet, () => nowMs);
      for (const share of [0.2, 0.4, 0.6]) {
        nowMs += 2_600;
        progress.update(share, 'rows');
      }
      progress.done();
      expect(written).toEqual(quiet ? [] : ['40 %  rows']);
    }
  });
});

describe('a table', () => {
  it('lines columns up, and lets no name move the cursor', () => {
    expect(
      table(
        ['A', 'B'],
        [
          ['long', 'x\u001b[31m'],
          ['s', '\u202ey'],
        ],
      ),
    ).toEqual(['A     B', 'long  x\\u{1b}[31m', 's     \\u{202e}y']);
    expect(printable('naïve 🎉')).toBe('naïve 🎉');
  });
});
