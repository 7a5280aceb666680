import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';
import { scrub } from './scrub.js';

function logger(readable: boolean, level = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, readable, out: { write: (line) => void lines.push(line) } });
  return { log, lines };
}

describe('a log line', () => {
  it('is one JSON object with level, time, message and fields', () => {
    const { log, lines } = logger(false);
    log.info({ queue: 'emails', n: 3 }, 'requeued');
    log.debug('left out');
    expect(lines).toHaveLength(1);
    const entry = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(entry).toMatchObject({ level: 'info', msg: 'requeued', queue: 'emails', n: 3 });
    expect(entry['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('for people is one line, with the stack of an error below it', () => {
    const { log, lines } = logger(true);
    log.warn({ queue: 'emails', attempts: [1, 2] }, 'held');
    log.error(new Error('no database'));
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN  held queue=emails attempts=\[1,2\]\n$/);
    expect(lines[1]).toMatch(/ ERROR no database\n {4}Error: no database\n {4}at /);
  });

  it('for people says of an error that passes by itself only what it says, and what lies below it', () => {
    class RetryableError extends Error {}
    const away = new RetryableError('the database is away', { cause: new Error('ECONNREFUSED') });
    const [people, programs] = [logger(true), logger(false)];
    for (const { log } of [people, programs]) log.warn({ err: away }, 'a look failed, and is repeated');
    expect(people.lines[0]?.split('\n').slice(1)).toEqual([expect.stringMatching(/^ {4}(Retryable)?Error: the database is away$/), '    caused by: Error: ECONNREFUSED', '']);
    expect(programs.lines[0]).toContain('at ');
  });

  it('cannot move the cursor of a terminal, or pass for another line', () => {
    const { log, lines } = logger(true);
    log.info({ job: '\u001b[2J\r\n12:00 FATAL gone' }, 'a\u0007b');
    expect(lines[0]).toContain('a\\x07b job=\\x1b[2J\\x0d\\x0a12:00 FATAL gone');
    expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u);
  });
});

describe('secrets in a log line', () => {
  it('are hidden by the name of their field, and a fencing token is no secret', () => {
    const { log, lines } = logger(false);
    log.info({
      token: 'abcdef',
      req: { headers: { authorization: 'Bearer abcdef', cookie: 'abcdef' } },
      hook: { secret: 'abcdef', password: 'abcdef' },
      claim: { token: 4_294_967_297 },
    });
    expect(lines[0]).not.toContain('abcdef');
    expect(lines[0]).toContain('4294967297');
  });

  it('are hidden in messages, errors and stacks too', () => {
    for (const readable of [true, false]) {
      const { log, lines } = logger(readable);
      log.error(new Error('connect postgres://app:hunter2@db:5432/jobs failed'));
      log.info('calling with Bearer hunter2hunter2 on https://x/y?access_token=hunter2&z=1');
      expect(lines.join('')).not.toContain('hunter2');
      expect(lines.join('')).toContain('postgres://app:[redacted]@db:5432/jobs');
    }
  });

  it.each([
    ['postgres://u:p@ss:w@host/db', 'postgres://u:[redacted]@host/db'],
    ['postgres://host/db?user=u&password=x', 'postgres://host/db?user=u&password=[redacted]'],
    [`whsec_${'A'.repeat(44)}`, 'whsec_[redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['http://localhost:7411/v1/jobs/a@b', 'http://localhost:7411/v1/jobs/a@b'],
    ['Bearer of news', 'Bearer of news'],
    ['mail a@b.example', 'mail a@b.example'],
  ])('%s becomes %s', (line, scrubbed) => expect(scrub(line)).toBe(scrubbed));

  it('are looked for in a time that grows with the length only', () => {
    const hostile = [
      'a://'.repeat(250_000),
      'a.'.repeat(500_000),
      '?token='.repeat(140_000),
      'Bearer '.repeat(140_000),
    ];
    const started = performance.now();
    for (const line of hostile) scrub(line);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
