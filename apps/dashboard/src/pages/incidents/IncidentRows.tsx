import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { causeWord, incidentWord, kindWord } from '../../kit/incident-words';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { useNow, When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { ago, count, duration, untilUtc, visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { asksOf } from './asks';
import classes from './IncidentRows.module.css';
import type { ListedIncident } from './incidents-queries';

const { list: text } = incidents;

interface Props {
  readonly label: string;
  readonly incidents: readonly ListedIncident[];
}

/** What each asks of somebody, and by when; what is wrong; where, since when, and who has it. */
export function IncidentRows({ label, incidents: items }: Props) {
  return (
    <ul className={classes.list} aria-label={label}>
      {items.map((incident) => (
        <li key={incident.incidentId} data-tone={incident.status === 'open' ? asksOf(incident).look[0] : undefined}>
          {incident.status === 'open' && <Asked incident={incident} />}
          <div className={classes.what}>
            <Anchor component={Link} to={pathTo.incident(incident.incidentId)} size="sm" className={classes.summary ?? ''}>
              {visible(incident.summary)}
            </Anchor>
            <Text span size="sm" className={classes.cause ?? ''}>
              {wrong(incident)}
            </Text>
          </div>
          <Meta incident={incident} />
        </li>
      ))}
    </ul>
  );
}

function Asked({ incident }: { readonly incident: ListedIncident }) {
  const { says, somebody, look } = asksOf(incident);
  const until = incident.run?.until ?? null;
  return (
    <div className={classes.asks}>
      <StatusText text={says} tone={look[0]} shape={look[1]} wraps />
      {somebody && until !== null && <Deadline until={until} />}
    </div>
  );
}

function Deadline({ until }: { readonly until: string }) {
  const nowMs = useNow();
  const ms = Date.parse(until);
  return (
    <time dateTime={until} className={classes.deadline}>
      {ms > nowMs ? text.by(ago(ms, nowMs), untilUtc(ms)) : text.late(untilUtc(ms))}
    </time>
  );
}

/** Its cause with what is to blame, as far as they are known. */
function wrong({ kind, cause, run }: ListedIncident): string {
  if (cause === null && kind === 'saturation') return `${kindWord(kind)}, ${text.unassessed}`;
  if (cause === null || cause === 'unknown' || run?.blamed == null) return incidentWord({ kind, cause });
  return text.blamed(causeWord(cause), visible(run.blamed));
}

function Meta({ incident }: { readonly incident: ListedIncident }) {
  const { incidentId, openedAt, resolvedAt, run, status } = incident;
  const mark = run?.drill === true ? text.drill : run?.dryRun === true ? text.dryRun : null;
  return (
    <div className={classes.meta}>
      <Where incident={incident} />
      <span>
        {text.opened} <When at={openedAt} />
      </span>
      {resolvedAt !== null && <span>{text.lasted(duration(Date.parse(resolvedAt) - Date.parse(openedAt)))}</span>}
      {run !== undefined && <Who takenBy={run.takenBy} open={status === 'open'} asked={asksOf(incident).somebody} />}
      {mark !== null && <span>{mark}</span>}
      {resolvedAt !== null && (
        <Anchor component={Link} to={pathTo.postmortem(incidentId)} size="xs">
          {text.postmortem}
          <Text span className="visually-hidden">{` ${incidentId}`}</Text>
        </Anchor>
      )}
    </div>
  );
}

function Who({ takenBy, open, asked }: { readonly takenBy: string | null; readonly open: boolean; readonly asked: boolean }) {
  if (takenBy !== null) return <span>{open ? text.takenBy(visible(takenBy)) : text.endedBy(visible(takenBy))}</span>;
  return open && asked ? <span>{text.nobody}</span> : null;
}

/** The target and the queues of a run, the queue of another incident, or the whole installation. */
function Where({ incident: { queue, run, kind, subject } }: { readonly incident: ListedIncident }) {
  const names = run === undefined || run.queues.length === 0 ? (queue === null ? [] : [queue]) : run.queues.map(({ queue: name }) => name);
  const more = (run?.queueCount ?? 0) - names.length;
  if (names.length === 0) return <span>{kind === 'saturation' ? <Name text={subject} /> : text.installation}</span>;
  return (
    <>
      <span>
        {names.length === 1 ? text.queueOne : text.queueMany} <bdi>{text.queues(names.map(visible).join(', '), more > 0 ? count(more) : null)}</bdi>
      </span>
      {run?.target != null && (
        <span>
          {text.target} <Name text={run.target} />
        </span>
      )}
    </>
  );
}
