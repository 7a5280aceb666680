import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker, type Answer } from './service.fixture.js';

const POLICY = `
defaults: {heartbeats: none, stuckAfter: off, backoff: {initial: 1h, max: 1h}}
queues:
  emails: {actions: act, idempotent: true, grace: 1h}
  observed: {}
`;

describe('jobs over REST', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const detail = (id: string): Promise<Answer> => service.get(`/v1/queues/emails/jobs/${id}`);
  const call = (id: string, action: string, body: object = { reason: 'test' }): Promise<Answer> =>
    service.call('POST', `/v1/queues/emails/jobs/${id}/${action}`, { body });
  const stands = (id: string, status: string): Promise<void> =>
    waitUntil(`${id} is ${status}`, async () => (await detail(id)).body.status === status);

  /** One job in every status that there is. */
  async function inEveryStatus(): Promise<Record<string, string>> {
    const all = [
      'queued',
      'processing',
      'restart-requested',
      'retrying',
      'requeued',
      'incomplete',
      'succeeded',
      'dead-lettered',
      'cancelled',
      'discarded',
    ];
    for (const status of all) if (status !== 'incomplete') await service.send(event('queued', status));
    const start = (id: string, data: object = {}) => service.send(event('started', id, { ...worker('w1'), ...data }));
    const fail = (id: string, retryable: boolean) =>
      service.send(event('failed', id, { ...worker('w1'), retryable, error: { class: 'E', message: 'no' } }));
    for (const id of all.filter((s) => s !== 'queued' && s !== 'cancelled' && s !== 'discarded')) await start(id);
    await call('restart-requested', 'restart');
    await fail('retrying', true);
    await call('requeued', 'restart');
    await service.send(event('released', 'requeued', worker('w1')));
    await call('incomplete', 'restart');
    await service.send(event('released', 'incomplete', worker('w1')));
    await service.send(event('succeeded', 'succeeded', worker('w1')));
    await fail('dead-lettered', false);
    await call('cancelled', 'cancel');
    await call('discarded', 'discard');
    // Below act nothing is decided, so there a failure stays one.
    await service.send(
      event('queued', 'failed', { queue: 'observed' }),
      event('started', 'failed', { queue: 'observed', ...worker('w1') }),
    );
    await service.send(event('failed', 'failed', { queue: 'observed', error: { class: 'E', message: 'no' } }));
    for (const status of all) await stands(status, status);
    return Object.fromEntries([...all.map((s) => [s, 'emails']), ['failed', 'observed']]) as Record<string, string>;
  }

  it('answers for a job in every status, in list and detail alike, and cancels it or says why not (C8, E7)', async () => {
    const queues = await inEveryStatus();
    expect(Object.keys(queues).length).toBe(11);
    for (const [id, queue] of Object.entries(queues)) {
      const one = await service.get(`/v1/queues/${queue}/jobs/${id}`);
      const list = await service.get(`/v1/jobs?queue=${queue}&id=${id}`);
      const byStatus = await service.get(`/v1/jobs?queue=${queue}&status=${id}&limit=1000`);
      expect(one.body.status).toBe(id);
      const { items } = list.body;
      expect(items.length).toBe(1);
      for (const [field, value] of Object.entries(items[0] ?? {}))
        expect(one.body[field], `${id}.${field}`).toEqual(value);
      expect(byStatus.body.items.map((j) => j.id)).toEqual([id]);
    }
    const finished = new Set(['succeeded', 'dead-lettered', 'cancelled', 'discarded']);
    for (const [id, queue] of Object.entries(queues)) {
      const answer = await service.call('POST', `/v1/queues/${queue}/jobs/${id}/cancel`, {
        body: { reason: 'enough' },
      });
      if (finished.has(id))
        expect(answer, id).toMatchObject({ status: 409, body: { code: 'finished', job: { status: id } } });
      else expect(answer, id).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    }
  });

  it('keeps a heartbeat that comes after success from changing anything (E7)', async () => {
    await service.send(
      event('queued', 'hb'),
      event('started', 'hb', worker('w1')),
      event('succeeded', 'hb', worker('w1')),
    );
    const beat = await service.call('POST', '/v1/events', {
      body: event('heartbeat', 'hb', { ...worker('w1'), leaseMs: 5_000 }),
    });
    expect(beat.body.results).toMatchObject([{ outcome: 'recorded', state: 'finished' }]);
    expect((await detail('hb')).body.status).toBe('succeeded');
    expect((await service.get('/v1/jobs?queue=emails&id=hb')).body.items).toMatchObject([{ status: 'succeeded' }]);
  });

  it('appends one of fifty equal events sent at once (H2)', async () => {
    const same = event('queued', 'fifty');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => service.call('POST', '/v1/events', { body: same })),
    );
    const outcomes = answers.map((a) => a.body.results[0]?.outcome);
    expect(outcomes.filter((o) => o === 'appended').length).toBe(1);
    expect(outcomes.filter((o) => o === 'duplicate').length).toBe(49);
    expect((await service.get('/v1/queues/emails/jobs/fifty/events')).body.items.length).toBe(1);
    const other = await service.call('POST', '/v1/events', {
      body: { ...same, data: { queue: 'emails', kind: 'other' } },
    });
    expect(other).toMatchObject({ status: 409, body: { code: 'id_reused' } });
    const elsewhere = await service.call('POST', '/v1/events', { body: { ...same, namespace: 'other' } });
    expect(elsewhere.body.results).toMatchObject([{ outcome: 'appended' }]);
  });

  it('pages through a list that changes meanwhile, showing each lasting job once', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `page-${String(i)}`);
    await service.send(...ids.map((id) => event('queued', id, { queue: 'paged' })));
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const from: string = next === null ? '' : `&next=${encodeURIComponent(next)}`;
      const page = await service.get(`/v1/jobs?queue=paged&limit=7${from}`);
      seen.push(...page.body.items.map((j) => j.id));
      next = page.body.next;
      const touched = seen.at(-1) ?? '';
      await service.send(
        event('started', touched, { queue: 'paged', ...worker('w') }),
        event('queued', `new-${touched}`, { queue: 'paged' }),
      );
    } while (next !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
    const first = await service.get('/v1/jobs?queue=paged&limit=7');
    const foreign = await service.get(`/v1/jobs?queue=emails&limit=7&next=${String(first.body.next)}`);
    expect(foreign).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
    const other = await service.get(`/v1/dead-letters?next=${String(first.body.next)}`);
    expect(other.body.code).toBe('cursor_invalid');
  });

  it('filters by kind, worker and since', async () => {
    await service.send(
      event('queued', 'k1', { queue: 'filters', kind: 'a' }),
      event('queued', 'k2', { queue: 'filters', kind: 'b' }),
      event('started', 'k2', { queue: 'filters', ...worker('finder') }),
    );
    const ids = async (filter: string) =>
      (await service.get(`/v1/jobs?queue=filters&${filter}`)).body.items.map((j) => j.id).sort();
    expect(await ids('kind=a')).toEqual(['k1']);
    expect(await ids('worker=finder')).toEqual(['k2']);
    expect(await ids('since=2020-01-01T00:00:00Z')).toEqual(['k1', 'k2']);
    expect(await ids('since=2100-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('namespace=nowhere')).toEqual([]);
  });

  it('shows the timeline as CloudEvents, decisions with their evidence, in pages', async () => {
    await service.send(
      event(
        'queued',
        'story',
        { kind: 'k', payload: { a: 1 }, custom: 7 },
        { time: '2024-05-01T10:00:00Z', traceparent: '00-ab' },
      ),
    );
    await service.send(event('started', 'story', worker('w1')));
    await service.send(
      event('failed', 'story', {
        ...worker('w1'),
        retryable: false,
        error: { class: 'Boom', message: 'it broke', stack: 'at x' },
      }),
    );
    await stands('story', 'dead-lettered');
    const first = await service.get('/v1/queues/emails/jobs/story/events?limit=3');
    const second = await service.get(`/v1/queues/emails/jobs/story/events?limit=3&next=${String(first.body.next)}`);
    const events = [...first.body.items, ...second.body.items] as Record<string, unknown>[];
    expect(events.map((e) => e['type'])).toEqual(
      ['queued', 'started', 'failed', 'dead-lettered'].map((t) => `jobwarden.job.${t}.v1`),
    );
    expect(events[0]).toMatchObject({
      subject: 'story',
      time: '2024-05-01T10:00:00.000Z',
      traceparent: '00-ab',
      data: { queue: 'emails', kind: 'k', custom: 7, payload: { bytes: 7 } },
    });
    expect(events[3]).toMatchObject({
      source: 'jobwarden',
      data: { n: 1, reason: 'failed', evidence: { retriesUsed: 0 } },
    });
    const one = await detail('story');
    expect(one.body.decisions).toMatchObject([{ n: 1, kind: 'dead-lettered', evidence: { retriesUsed: 0 } }]);
    expect(one.body.attempts).toMatchObject([
      { attempt: 1, outcome: 'failed-for-good', error: { class: 'Boom' }, workers: [{ id: 'w1' }] },
    ]);
    const letter = await service.get('/v1/dead-letters/one?queue=emails&id=story');
    expect(letter.body).toMatchObject({
      reason: 'failed',
      chain: [{ attempt: 1, ended: 'failed-for-good', error: { message: 'it broke' } }],
      redrives: 0,
    });
    const letters = await service.get('/v1/dead-letters?queue=emails');
    expect(letters.body.items.map((l) => l.id)).toContain('story');
  });

  it('answers 404 for the unknown, and 410 with the summary below the retention line', async () => {
    expect(await detail('nobody')).toMatchObject({ status: 404, body: { code: 'job_unknown' } });
    await service.send(event('queued', 'old'));
    await call('old', 'cancel');
    await asOwner(
      database.url,
      `WITH gone AS (DELETE FROM jobwarden.jobs WHERE job_id = 'old' RETURNING *)
       INSERT INTO jobwarden.job_summaries SELECT job_key, queue_id, job_id, status, attempt, 1, since_ms FROM gone`,
    );
    expect(await detail('old')).toMatchObject({
      status: 410,
      body: { code: 'retired', summary: { id: 'old', status: 'cancelled', attempt: 1, token: 1 } },
    });
    expect((await service.get('/v1/jobs/one/events?queue=emails&id=old')).status).toBe(410);
    expect(await call('old', 'redrive')).toMatchObject({ status: 410, body: { summary: { status: 'cancelled' } } });
  });
});
