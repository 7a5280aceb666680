/** Words that the rules of redaction cut, and one that they leave alone: the search finds it, so it would find the others. */
export interface Canaries {
  /** Cut by pattern. */
  readonly pattern: (place: string) => string;
  /** Cut by path. */
  readonly path: (place: string) => string;
  /** Not cut. */
  readonly plain: string;
}

export function eventFor(id: string, canaries: Canaries) {
  const { pattern, path, plain } = canaries;
  const body = (place: string) => ({
    note: `see ${pattern(place)}.`,
    password: path(place),
    [pattern(`${place}key`)]: 1,
    list: [{ password: path(`${place}list`) }],
    escaped: `{"a":"${pattern(`${place}json`)}"}`,
    plain,
  });
  const event = (type: string, data: object, eventId = `${type}-1`) => ({
    ...{ specversion: '1.0', id: eventId, source: '/canary', subject: id, type: `jobwarden.job.${type}.v1` },
    apikey: pattern('extension'),
    data: { queue: 'canary', debug: pattern('field'), ...data },
  });
  const worker = { id: 'w1' };
  const failed = (attempt: number) =>
    event(
      'failed',
      {
        ...{ attempt, worker, retryable: false, payloadSnapshot: body('snapshot') },
        error: {
          class: 'CardError',
          message: `refused ${pattern('message')} ${plain} ${'long '.repeat(2_000)}${pattern('tail')}`,
          stack: `CardError: ${pattern('stack')}\n    at pay (/srv/${pattern('frame')}.js:1:1) ${plain}`,
          code: pattern('code'),
        },
      },
      `failed-${String(attempt)}`,
    );
  return {
    queued: event('queued', { payload: body('payload') }),
    begun: (attempt: number) => [
      event('started', { attempt, worker }, `started-${String(attempt)}`),
      event('heartbeat', { attempt, worker, progress: body('progress') }, `beat-${String(attempt)}`),
      event('released', { attempt, worker, reason: pattern('released') }, `released-${String(attempt)}`),
    ],
    failed,
    /** Each of them ends in quarantine. */
    broken: [
      JSON.stringify(event('failed', { attempt: pattern('attempt'), error: pattern('error') }, 'schema')),
      JSON.stringify({ ...event('queued', {}, 'unknown'), type: 'jobwarden.job.flew.v1', data: { queue: 'canary', ...body('unknown') } }),
      JSON.stringify(event('queued', { payload: body('reused') })),
      `{"type": "jobwarden.job.queued.v1", "data": {"password": "${pattern('unreadable')}`,
    ],
  };
}
