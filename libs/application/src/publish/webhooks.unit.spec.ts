import { describe, expect, it } from 'vitest';
import { INCIDENT_STEPS, type IncidentStepDraft, type IncidentStepType } from '#libs/domain';
import { retryInMs, WEBHOOK_RETRIES } from './backoff.js';
import { namedWebhooks, webhooksFor } from './webhook-match.js';

const secret = { reveal: () => 'whsec_' };
const entry = (
  url: string,
  events: readonly ('commands' | 'incidents')[],
  queues: readonly string[] | null = null,
) => ({
  target: { format: 'standard' as const, url, events, queues },
  secret,
});
const pager = (format: 'pagerduty' | 'slack', url: string | null) => ({ target: { format, url, events: ['incidents'] as const, queues: null }, secret });
const step = (type: IncidentStepType): IncidentStepDraft => ({ type, by: 'jobwarden', reason: type });

describe('webhooks', () => {
  it('are named by their address, and numbered where one is listed again', () => {
    const named = namedWebhooks([
      entry('https://a/', ['commands']),
      entry('https://b/', ['commands']),
      entry('https://a/', ['incidents']),
    ]);
    expect(named.map((w) => w.name)).toEqual(['https://a/', 'https://b/', 'https://a/ (2)']);
  });

  it('are named by their format where the address is a secret', () => {
    const named = namedWebhooks([pager('slack', null), pager('pagerduty', 'https://events.pagerduty.com/v2/enqueue'), pager('slack', null)]);
    expect(named.map((w) => w.name)).toEqual(['slack', 'https://events.pagerduty.com/v2/enqueue', 'slack (2)']);
  });

  it('of pagers get of an incident its page, each escalation, who has taken it and its all-clear, whatever its other steps', () => {
    const list = namedWebhooks([entry('all', ['incidents']), pager('pagerduty', 'pd'), pager('slack', null)]);
    const told = (name: string) => INCIDENT_STEPS.filter((type) => webhooksFor(list, 'incident', ['mail'], step(type)).includes(name));
    expect(told('all')).toEqual(INCIDENT_STEPS);
    expect(told('pd')).toEqual(['opened', 'approved', 'escalated', 'aborted', 'resolved']);
    expect(told('slack')).toEqual(['opened', 'escalated', 'resolved']);
    // Dead letters go out on the same stream; nobody is woken by one.
    expect(webhooksFor(list, 'dead-letter', ['mail'])).toEqual(['all']);
  });

  it('get what they ask for of the queues they ask for, and never invalidations', () => {
    const list = namedWebhooks([
      entry('all', ['commands', 'incidents']),
      entry('mail', ['commands'], ['mail']),
      entry('pager', ['incidents']),
    ]);
    expect(webhooksFor(list, 'enqueue', ['mail'])).toEqual(['all', 'mail']);
    expect(webhooksFor(list, 'stop', ['other'])).toEqual(['all']);
    expect(webhooksFor(list, 'dead-letter', ['mail'])).toEqual(['all', 'pager']);
    expect(webhooksFor(list, 'invalidation', ['mail'])).toEqual([]);
    expect(webhooksFor(list, 'incident', ['mail'])).toEqual(['all', 'pager']);
  });

  it('get what is of the whole installation where they are not bound to queues', () => {
    const list = namedWebhooks([entry('pager', ['incidents']), entry('mail', ['incidents'], ['mail'])]);
    expect(webhooksFor(list, 'incident', null)).toEqual(['pager']);
    expect(webhooksFor(list, 'incident', ['mail'])).toEqual(['pager', 'mail']);
  });
});

describe('waits between tries', () => {
  it('grow to the largest one, spread by at most a fifth', () => {
    const waits = Array.from({ length: 9 }, (_, i) => retryInMs(WEBHOOK_RETRIES, i + 1, 0));
    expect(waits).toEqual([1_000, 3_000, 9_000, 27_000, 81_000, 243_000, 600_000, 600_000, 600_000]);
    expect(retryInMs(WEBHOOK_RETRIES, 9, 0.999)).toBeLessThanOrEqual(720_000);
  });
});
