import { describe, expect, it } from 'vitest';
import { drillLines, type Link } from './links.js';

const link = (name: string, state: Link['state'], ms: number | null, says: string, mend: string | null = null): Link => ({ link: name, state, ms, says, mend });

describe('the table of a drill', () => {
  it('has a line for each link, and below a broken one what to do', () => {
    const links = [link('event', 'ok', 12, 'it was taken'), link('page of hook.example', 'broken', 340, 'answered 500', 'Look at its log.'), link('stuck notice', 'left-out', null, 'takes a minute')];
    expect(drillLines({ drill: 'd1', incidentId: '7', ok: false, links })).toEqual([
      'LINK                  STATE     MS   WHAT',
      'event                 ok        12   it was taken',
      'page of hook.example  BROKEN    340  answered 500',
      '    Look at its log.',
      'stuck notice          left out  -    takes a minute',
      '1 of 3 links is broken. Drill d1, incident 7.',
    ]);
  });

  it('says so where nothing is broken, and lets no name move the cursor', () => {
    const lines = drillLines({ drill: 'd1', incidentId: null, ok: true, links: [link('page of \u001B[2J', 'ok', 1, 'delivered', 'never shown')] });
    expect(lines.slice(1)).toEqual(['page of \\u{1b}[2J  ok     1   delivered', 'Every link that was tried works. Drill d1.']);
  });
});
