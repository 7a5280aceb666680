import { List, Stack, Text } from '@mantine/core';
import { Facts } from '../../kit/Facts';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { When } from '../../kit/When';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import type { PatternDetail } from './letter-queries';
import { sum } from './trend';
import { diedOf } from './words';

const { pattern: text } = deadLetters;

/** What the pattern is: how they ended, where it was thrown, since when, and what people have said of it. */
export function PatternStanding({ pattern: { queue, kind, reason, frames, firstSeen, lastSeen, letters, trend, reviews } }: { readonly pattern: PatternDetail }) {
  return (
    <Panel title={text.what}>
      <Stack gap="sm">
        <Text size="sm">{`${diedOf(reason)}. ${text.sentence(count(letters), count(sum(trend)))}`}</Text>
        <Facts
          facts={[
            [text.facts.queue, <Name key="queue" text={queue} />],
            [text.facts.kind, kind === null ? null : <Name key="kind" text={kind} />],
            [text.facts.first, <When key="first" at={firstSeen} />],
            [text.facts.last, <When key="last" at={lastSeen} />],
          ]}
        />
        {reviews.length > 0 && (
          <div>
            <p className={classes.subtitle}>{text.said}</p>
            <List size="sm" listStyleType="none">
              {reviews.map(({ outcome, by, reason, at }) => (
                <List.Item key={at}>
                  {text.saidLine(deadLetters.outcome[outcome], visible(by), visible(reason))} <When at={at} />
                </List.Item>
              ))}
            </List>
          </div>
        )}
        {frames.length > 0 && (
          <div>
            <p className={classes.subtitle}>{text.frames}</p>
            <ol className={classes.frames}>
              {frames.map((frame, i) => (
                <li key={`${String(i)} ${frame}`}>
                  <bdi>{visible(frame)}</bdi>
                </li>
              ))}
            </ol>
          </div>
        )}
      </Stack>
    </Panel>
  );
}
