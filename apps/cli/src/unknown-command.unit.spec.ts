import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Answer } from './rest/client.js';
import { unknownQueue } from './rest/unknown-queue.js';
import { buildProgram } from './program.js';
import type { Context } from './terminal/terminal.js';
import { unknownCommand } from './unknown-command.js';

describe('a command that was mistyped', () => {
  const program = buildProgram({ terminal: { out: () => undefined, err: () => undefined } } as unknown as Context, () => undefined);

  it.each([
    [['dead-letters', 'redrvie', 'q'], "error: unknown command 'redrvie' of dead-letters", '(Did you mean redrive?)'],
    [['jobs', 'lst'], "error: unknown command 'lst' of jobs", '(Did you mean list?)'],
  ])('%j is told with the likely one', (args, ...expected) => {
    expect(unknownCommand(program, args)).toEqual(expected);
  });

  it('is told with all there are where none is near', () => {
    expect(unknownCommand(program, ['dead-letters', 'xyzzy'])?.[1]).toMatch(/^\(There are list, show, patterns, .*\)$/u);
  });

  it.each([[['dead-letters']], [['dead-letters', 'patterns']], [['dead-letters', '--json']], [['dead-letters', 'help']], [['audit', 'x']], [['nothing', 'x']], [[]]])('is not what %j is', (args) => {
    expect(unknownCommand(program, args)).toBeNull();
  });
});

describe('a queue that was mistyped', () => {
  const said: string[] = [];
  const context = { terminal: { err: (line: string) => said.push(line) }, out: new Writable() } as unknown as Context;
  const client = (queues: readonly string[]) => ({
    get: (path: string, { queue: name = '' }: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> => {
      if (path === 'v1/queues') return Promise.resolve({ kind: 'ok', status: 200, body: { items: queues.map((queue) => ({ queue })) } });
      if (queues.includes(name)) return Promise.resolve({ kind: 'ok', status: 200, body: {} });
      return Promise.resolve({ kind: 'problem', status: 404, code: 'queue_unknown', detail: '', retryAfterMs: null, body: {} });
    },
  });

  it('is told with the one that may be meant, or with those that there are', async () => {
    expect(await unknownQueue(client(['emails']), { queue: 'emials' }, context)).toBe(2);
    expect(await unknownQueue(client(['emails', 'exports']), { queue: 'quite/another' }, context)).toBe(2);
    expect(await unknownQueue(client([]), { queue: 'q' }, context)).toBe(2);
    expect(said).toEqual([
      'No event has named the queue emials. Did you mean emails?',
      'No event has named the queue quite/another. There are emails, exports.',
      'No event has named the queue q. There is none yet.',
    ]);
    expect(await unknownQueue(client(['emails']), { queue: 'emails' }, context)).toBeNull();
    expect(await unknownQueue(client(['emails']), {}, context)).toBeNull();
  });
});
