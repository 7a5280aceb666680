import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { bodyText } from '../../kit/body-text';
import bodyClasses from '../../kit/BodyFold.module.css';
import { Facts } from '../../kit/Facts';
import { clockTime, duration, utc, visible } from '../../text/format';
import { events } from '../../text/events';
import { job as words } from '../../text/job';
import { wordsOf } from './event-words';
import type { TimelineEvent } from './job-queries';
import classes from './Timeline.module.css';
import { Trace } from './TraceLink';

const { timeline: text } = words;

interface Props {
  readonly event: TimelineEvent;
  /** When the one above it was read; null: there is none. */
  readonly before: string | null;
}

/** One entry of the log as a sentence, and on demand everything that stands there. */
export function TimelineRow({ event, before }: Props) {
  const [opened, fold] = useDisclosure(false);
  const id = useId();
  const atMs = Date.parse(event.at);
  const { text: sentence, said, by, decision, tone } = wordsOf(event);
  return (
    <li className={classes.row} data-tone={tone} data-decision={decision}>
      <div className={classes.time}>
        <time dateTime={event.at} title={utc(atMs)}>
          {clockTime(atMs)}
        </time>
        {before !== null && <span className={classes.after}>{`+${duration(atMs - Date.parse(before))}`}</span>}
      </div>
      <div className={classes.what}>
        <UnstyledButton className={classes.sentence ?? ''} aria-expanded={opened} aria-controls={id} onClick={fold.toggle}>
          <span className={classes.mark} aria-hidden="true" />
          <span>{sentence}</span>
        </UnstyledButton>
        <div className={classes.who}>
          {decision && <span>{text.by(visible(by ?? ''))}</span>}
          {said !== undefined && <span>{events.because(visible(said))}</span>}
          <Trace traceparent={event.traceparent} />
        </div>
        <div id={id}>{opened && <Details event={event} />}</div>
      </div>
    </li>
  );
}

function Details({ event }: { readonly event: TimelineEvent }) {
  const { position, lane, source, type, id, time, data } = event;
  return (
    <div className={classes.details}>
      <Facts
        facts={[
          [text.type, visible(type)],
          [text.attemptFact, numberOf(data['attempt'])],
          [text.tokenFact, numberOf(data['token'])],
          [text.emitterTime, time === undefined ? null : visible(time)],
          [text.source, visible(source)],
          [text.eventId, visible(id)],
          [text.lane, lane === undefined ? null : visible(lane)],
          [text.position, text.positionOf(String(position.shard), String(position.number))],
        ]}
      />
      <pre className={bodyClasses.body} tabIndex={0} role="region" aria-label={text.raw}>
        {bodyText(JSON.stringify(data)).parts.map(({ text: part, redacted, at }) => (redacted ? <mark key={at}>{part}</mark> : part))}
      </pre>
    </div>
  );
}

const numberOf = (value: unknown): string | null => (typeof value === 'number' ? String(value) : null);
