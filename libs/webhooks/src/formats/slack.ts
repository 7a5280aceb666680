import { cut, figuresOf, type PagedStep } from './incident-step.js';

/** Slack's own bounds, in characters: of a header, of a section's text, of a field. */
const HEADER = 150;
const TEXT = 2_900;
const FIELD = 300;
/** Fields of a section at most. */
const FIELDS = 8;
const TITLE = { page: 'Incident', escalated: 'Escalated', taken: 'Taken', over: 'Resolved' } as const;

/** A message for an incoming webhook of Slack: a short text for the notification, and blocks for whoever opens it. */
export function slackBody(step: PagedStep): string {
  const { page, data, namespace } = step;
  const where = data.queue === undefined ? data.subject : `${namespace}/${data.queue}`;
  const title = `${TITLE[page]} ${data.incidentId}: ${data.kind.replaceAll('_', ' ')} of ${where}`;
  const says = page === 'page' ? data.summary : page === 'escalated' ? data.reason : `${data.reason} (${data.by})`;
  const figures = page === 'over' ? [] : figuresOf(step, FIELDS);
  return JSON.stringify({
    text: cut(escaped(`${title}: ${says}`), TEXT),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, HEADER), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: cut(escaped(says), TEXT), verbatim: true } },
      ...(figures.length === 0 ? [] : [{ type: 'section', fields: figures.map(([name, value]) => field(name, value)) }]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: `\`/v1/incidents/${data.incidentId}\``, verbatim: true }] },
    ],
  });
}

function field(name: string, value: string): object {
  return { type: 'mrkdwn', text: `*${escaped(cut(name, 60))}*\n${escaped(cut(value, FIELD))}`, verbatim: true };
}

/** What an error says must neither call a channel (`<!channel>`) nor link anywhere. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
