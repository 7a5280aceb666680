import { Facts } from '../../kit/Facts';
import { Name } from '../../kit/Name';
import { When } from '../../kit/When';
import { deadLetters } from '../../text/dead-letters';
import { count } from '../../text/format';
import type { RedriveRun } from './letter-queries';
import { diedOf as reasonWord } from './words';

const { redrive: text } = deadLetters;

/** Which were meant, how fast, and who said so and why. */
export function RedriveFacts({ run: { queue, kind, diedOf, perSecond, force, by, reason, startedAt, endedAt, stoppedBy } }: { readonly run: RedriveRun }) {
  return (
    <Facts
      facts={[
        [text.facts.why, <Name key="why" text={reason} />],
        [text.facts.by, <Name key="by" text={by} />],
        [text.facts.queue, <Name key="queue" text={queue} />],
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
