import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';

const DAY_MS = 86_400_000;

describe('what an operator may ask for', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    // No other deadline than the hard timeout.
    service = await TestService.start(database.url, 'defaults: {heartbeats: none, stuckAfter: off}');
  });
  afterAll(() => service.stop());

  it('is bounded, so that no deadline lies beyond what an answer can show', async () => {
    await service.send(event('queued', 'a'));
    const limits = (timeoutMs: number) =>
      service.call('POST', '/v1/queues/emails/jobs/a/limits', { body: { reason: 'r', timeoutMs } });
    for (const timeoutMs of [9e15, 401 * DAY_MS, 1.5, 0]) {
      expect(await limits(timeoutMs), String(timeoutMs)).toMatchObject({ status: 400, body: { code: 'invalid' } });
    }
    expect((await limits(400 * DAY_MS)).status).toBe(200);
    await service.send(event('started', 'a', worker('w1')));
    expect((await service.get('/v1/queues/emails/jobs/a')).body.status).toBe('processing');
    expect((await service.get('/v1/jobs')).status).toBe(200);
  });

  it('is explained in some thousand characters, not in a megabyte that every answer then carries', async () => {
    const reason = 'x'.repeat(8_193);
    const calls = [
      ['PUT', '/v1/actions', { enabled: true, reason }],
      ['PUT', '/v1/queues/emails/levels', { action: 'retry', level: 'observe', reason }],
      ['POST', '/v1/quarantine/1/dismiss', { reason }],
      ['POST', '/v1/queues/emails/jobs/a/cancel', { reason }],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await service.call(method, path, { body });
      expect(answer.status, path).toBe(400);
      expect(answer.text, path).toMatch(/reason/);
    }
  });
});
