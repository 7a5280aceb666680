import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { incidentLook, incidentWord, kindWord, type IncidentView } from '../../kit/incident-words';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { duration, visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import classes from './IncidentRows.module.css';

const { list: text } = incidents;

interface Props {
  readonly label: string;
  readonly incidents: readonly IncidentView[];
}

/** One line of what is wrong for each, then where and since when. */
export function IncidentRows({ label, incidents: items }: Props) {
  return (
    <ul className={classes.list} aria-label={label}>
      {items.map((incident) => (
        <Row key={incident.incidentId} incident={incident} />
      ))}
    </ul>
  );
}

function Row({ incident }: { readonly incident: IncidentView }) {
  const { incidentId, summary, kind, cause, queue, subject, openedAt, resolvedAt } = incident;
  const [tone, shape] = incidentLook(incident);
  const what = cause === null && kind === 'saturation' ? `${kindWord(kind)}, ${text.unassessed}` : incidentWord(incident);
  return (
    <li>
      <div className={classes.what}>
        <StatusText text={what} tone={tone} shape={shape} />
        <Anchor component={Link} to={pathTo.incident(incidentId)} size="sm" className={classes.summary ?? ''}>
          {visible(summary)}
        </Anchor>
      </div>
      <div className={classes.meta}>
        <span>{queue === null ? kind === 'saturation' ? <Name text={subject} /> : text.installation : <Name text={queue} />}</span>
        <span>
          {text.opened} <When at={openedAt} />
        </span>
        {resolvedAt !== null && (
          <>
            <span>{text.lasted(duration(Date.parse(resolvedAt) - Date.parse(openedAt)))}</span>
            <Anchor component={Link} to={pathTo.postmortem(incidentId)} size="xs">
              {text.postmortem}
              <Text span className="visually-hidden">{` ${incidentId}`}</Text>
            </Anchor>
          </>
        )}
      </div>
    </li>
  );
}
