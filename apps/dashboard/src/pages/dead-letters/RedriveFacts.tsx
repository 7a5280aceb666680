import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Facts } from '../../kit/Facts';
import { Name } from '../../kit/Name';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count } from '../../text/format';
import { patternQuery, type RedriveRun } from './letter-queries';
import { patternTitle, diedOf as reasonWord } from './words';

const { redrive: text } = deadLetters;

/** Which were meant, how fast, and who said so and why. */
export function RedriveFacts({ run: { namespace, queue, pattern, kind, diedOf, perSecond, force, by, reason, startedAt, endedAt, stoppedBy } }: { readonly run: RedriveRun }) {
  return (
    <Facts
      facts={[
        [text.facts.why, <Name key="why" text={reason} />],
        [text.facts.by, <Name key="by" text={by} />],
        [text.facts.queue, <Name key="queue" text={queue} />],
        [text.facts.pattern, pattern === undefined ? null : <PatternLink key="pattern" id={pattern} namespace={namespace} />],
        [text.facts.kind, kind === undefined ? null : <Name key="kind" text={kind} />],
        [text.facts.diedOf, diedOf === undefined ? null : reasonWord(diedOf)],
        [text.facts.rate, text.perSecond(count(perSecond))],
        [text.facts.force, force ? text.forced : null],
        [text.facts.started, <When key="started" at={startedAt} />],
        [text.facts.ended, endedAt === null ? null : <When key="ended" at={endedAt} />],
        [text.facts.stoppedBy, stoppedBy === undefined ? null : <Name key="stopped" text={stoppedBy} />],
      ]}
    />
  );
}

/** By its title, as far as it is known: one that has not been seen for long is forgotten. */
function PatternLink({ id, namespace }: { readonly id: string; readonly namespace: string }) {
  const { data } = useQuery(patternQuery(id));
  return (
    <Anchor component={Link} to={pathTo.pattern(id, { namespace })} size="sm">
      <bdi>{data === undefined ? text.pattern : patternTitle(data)}</bdi>
    </Anchor>
  );
}
