import { instant, inert, short, span } from './markdown-text.js';
import type { AnsweredItem, Postmortem } from './postmortem.js';

/** The whole postmortem as a page of Markdown; nothing in it that came from outside can become a link or HTML. */
export function postmortemMarkdown(p: Postmortem): string {
  const { facts: { incident }, signature, missing } = p;
  const where = incident.queue === null ? incident.subject : `${incident.queue.namespace}/${incident.queue.queue}`;
  const standing = signature === null
    ? `Not signed.${missing.length === 0 ? ' It can be signed.' : ` Missing: ${missing.join(', ')}.`}`
    : `Signed by ${inert(signature.by)}, ${instant(signature.atMs)}.${signature.note === null ? '' : ` ${inert(signature.note)}`}`;
  return [
    `# Incident ${inert(incident.id)}: ${inert(incident.kind.replaceAll('_', ' '))} of ${inert(where)}`,
    inert(short(p.summary)),
    standing,
    ...['## Times', times(p)],
    ...['## Cause', cause(p)],
    ...['## What happened', timeline(p)],
    ...['## Jobs', jobs(p)],
    ...p.checklists.flatMap(({ title, items }) => [`## ${title}`, items.map(item).join('\n')]),
    ...['## Lessons and follow-ups', followUps(p)],
  ].join('\n\n') + '\n';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function times({ times: t }: Postmortem): string {
  const at = (ms: number | null): string => (ms === null ? '—' : instant(ms));
  return table(['', 'when', 'after'], [
    ['began', at(t.beganMs), ''],
    ['detected', at(t.openedMs), `${span(t.detectMs)} from the beginning`],
    ['isolated', at(t.isolatedMs), `${span(t.isolateMs)} from detection`],
    ['restored', at(t.restoredMs), `${span(t.restoreMs)} from detection`],
    ['resolved', at(t.resolvedMs), ''],
  ]);
}

function cause({ cause: found }: Postmortem): string {
  if (found === null) return 'No cause was assessed.';
  const { cause: name, subject, confidence, selfSustained, says } = found;
  const head = `**${inert(name.replaceAll('_', ' '))}**${subject === null ? '' : `: ${inert(subject)}`} (confidence ${confidence.toFixed(2)}${selfSustained ? ', kept itself going' : ''})`;
  return [head, ...(says.length === 0 ? [] : [says.map(({ says: text, figures }) => `- ${inert(short(text))}${figuresIn(figures)}`).join('\n')])].join('\n\n');
}

function timeline({ timeline: steps }: Postmortem): string {
  return table(['when', 'step', 'by', 'what'], steps.map(({ atMs, type, by, reason }) => [instant(atMs), inert(type), inert(by), inert(short(reason))]));
}

function jobs({ facts: { jobs: { byStatus, examples } } }: Postmortem): string {
  const counts = Object.entries(byStatus).map(([status, n]) => `${String(n)} ${inert(status)}`);
  const head = counts.length === 0 ? 'None is left that did not succeed.' : `Not succeeded: ${counts.join(', ')}.`;
  const rows = examples.map(({ namespace, queue, id, status }) => [inert(`${namespace}/${queue}`), inert(short(id, 200)), inert(status), `\`${jobPath({ namespace, queue, id })}\``]);
  return rows.length === 0 ? head : `${head}\n\n${table(['queue', 'job', 'status', 'report'], rows)}`;
}

/** Where the service reports on a job, also one whose id a path could not carry. */
export function jobPath({ namespace, queue, id }: { readonly namespace: string; readonly queue: string; readonly id: string }): string {
  // Encoded once more than a URI needs: a grave accent would end the code that it stands in.
  const part = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/gu, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `/v1/jobs/one?queue=${part(queue)}&id=${part(id)}${namespace === 'default' ? '' : `&namespace=${part(namespace)}`}`;
}

function item({ id, asks, data, person, answeredBy }: AnsweredItem): string {
  const lines = [`- [${answeredBy === 'open' ? ' ' : 'x'}] **${asks}** (\`${id}\`)`];
  if (data !== null) lines.push(`  - from data: ${inert(short(data.says))}${figuresIn(data.figures)}`);
  if (person !== null) lines.push(`  - ${inert(person.by)}, ${instant(person.atMs)}: ${inert(short(person.answer, 2_000))}`);
  if (answeredBy === 'open') lines.push('  - a person has to answer this');
  return lines.join('\n');
}

function followUps({ followUps: shown, moreFollowUps: more, facts: { incident } }: Postmortem): string {
  if (shown.length === 0) return 'None.';
  const lines = shown.map(({ kind, text, owner, addedBy, addedMs, done, id }) => {
    const who = owner === null ? '' : `, for ${inert(owner)}`;
    const ended = done === null ? '' : `; done by ${inert(done.by)}, ${instant(done.atMs)}${done.note === null ? '' : `: ${inert(short(done.note))}`}`;
    return `- [${done === null ? ' ' : 'x'}] ${kind}: ${inert(short(text, 2_000))} (${inert(id)}, ${inert(addedBy)}, ${instant(addedMs)}${who}${ended})`;
  });
  return more === 0 ? lines.join('\n') : `${lines.join('\n')}\n\n${String(more)} more: \`/v1/follow-ups?incident=${inert(incident.id)}\``;
}

function figuresIn(figures: Readonly<Record<string, number | string>>): string {
  const shown = Object.entries(figures).map(([name, value]) => `${inert(name)} ${inert(String(value))}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}
