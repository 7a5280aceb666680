/**
 * What PagerDuty documents of an event of its Events API v2: names, values and lengths that it refuses others of. Nothing else
 * may be in it.
 */
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const;

export const PAGERDUTY_EVENT = {
  type: 'object',
  required: ['routing_key', 'event_action'],
  additionalProperties: false,
  properties: {
    routing_key: { type: 'string', minLength: 32, maxLength: 32 },
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: text(255),
    client: text(255),
    client_url: text(2_048),
    links: { type: 'array', items: { type: 'object', required: ['href'], properties: { href: text(2_048), text: text(1_024) } } },
    images: { type: 'array' },
    payload: {
      type: 'object',
      required: ['summary', 'source', 'severity'],
      additionalProperties: false,
      properties: {
        summary: text(1_024),
        source: text(1_024),
        severity: { enum: ['critical', 'error', 'warning', 'info'] },
        timestamp: { type: 'string', format: 'date-time' },
        component: text(1_024),
        group: text(1_024),
        class: text(1_024),
        custom_details: { type: 'object' },
      },
    },
  },
  // A trigger has something to say; the others need the key of what they are about.
  if: { properties: { event_action: { const: 'trigger' } } },
  then: { required: ['payload'] },
  else: { required: ['dedup_key'] },
} as const;

/** In bytes. */
export const PAGERDUTY_LARGEST = 512 * 1_024;
