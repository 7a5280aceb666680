import { cut, figuresOf, type PagedStep } from './incident-step.js';

/** PagerDuty's own bound of a summary, in characters. */
const SUMMARY = 1_024;
const FIGURES = 20;
const FIGURE = 500;
const ACTION = { page: 'trigger', taken: 'acknowledge', over: 'resolve' } as const;

/**
 * An event of PagerDuty's Events API v2. All steps of an incident have one `dedup_key`, so that a message sent twice, and a
 * hundred queues in one incident, are one page. The key that it is sent by is in the body, as that API has it.
 */
export function pagerdutyBody(step: PagedStep, routingKey: string): string {
  const { page, key, data, namespace, atTime } = step;
  const event = { routing_key: routingKey, event_action: ACTION[page], dedup_key: key };
  if (page !== 'page') return JSON.stringify(event);
  const where = data.queue === undefined ? data.subject : `${namespace}/${data.queue}`;
  return JSON.stringify({
    ...event,
    client: 'Jobwarden',
    payload: {
      summary: cut(`${data.kind.replaceAll('_', ' ')} of ${where}: ${data.summary}`, SUMMARY),
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
  });
}
