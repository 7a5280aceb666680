import { cut, figuresOf, type PagedStep } from './incident-step.js';

/** PagerDuty's own bound of a summary, in characters. */
const SUMMARY = 1_024;
const FIGURES = 20;
const FIGURE = 500;

/**
 * Events of PagerDuty's Events API v2, in the order in which they are to be sent. An incident has one `dedup_key`, so that a
 * message sent twice, and a hundred queues in one incident, are one page. The key that they are sent by is in the body, as that
 * API has it.
 *
 * An escalation has a second key: a trigger under the first one would only be added to what somebody has acknowledged, and wake
 * nobody. A person who takes the incident on, and its end, resolve that one; so the next escalation is a new page, and none
 * stays open. Where nothing was escalated PagerDuty has nothing under that key, and passes over it.
 *
 *   opened: trigger K    escalated: trigger K/escalated    taken: acknowledge K, resolve K/escalated    over: resolve both
 */
export function pagerdutyBodies(step: PagedStep, routingKey: string): readonly string[] {
  const { page, key } = step;
  const escalation = `${key}/escalated`;
  const event = (action: 'trigger' | 'acknowledge' | 'resolve', dedupKey: string, more = {}): string =>
    JSON.stringify({ routing_key: routingKey, event_action: action, dedup_key: dedupKey, ...more });
  // Runs alone are escalated.
  const standDown = step.data.kind === 'saturation' ? [event('resolve', escalation)] : [];
  switch (page) {
    case 'page':
      return [event('trigger', key, alert(step))];
    case 'escalated':
      return [event('trigger', escalation, alert(step))];
    case 'taken':
      return [event('acknowledge', key), ...standDown];
    case 'over':
      return [event('resolve', key), ...standDown];
  }
}

function alert(step: PagedStep): object {
  const { page, data, namespace, atTime } = step;
  const where = data.queue === undefined ? data.subject : `${namespace}/${data.queue}`;
  const what = `${data.kind.replaceAll('_', ' ')} of ${where}`;
  const says = page === 'escalated' ? `escalated: ${what}: ${data.reason}` : `${what}: ${data.summary}`;
  return {
    client: 'Jobwarden',
    payload: {
      summary: cut(says, SUMMARY),
      source: `jobwarden/${where}`,
      severity: data.kind === 'saturation' ? 'critical' : 'error',
      timestamp: atTime,
      component: where,
      group: namespace,
      class: data.kind,
      custom_details: {
        incident: `/v1/incidents/${data.incidentId}`,
        ...Object.fromEntries(figuresOf(step, FIGURES).map(([name, value]) => [name, cut(value, FIGURE)])),
      },
    },
  };
}
