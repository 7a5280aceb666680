import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts } from '../../kit/Facts';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import type { Letter } from './letter-queries';
import { letterReason } from './words';

const { letter: text } = deadLetters;

interface Props {
  readonly letter: Letter;
  readonly actions: ReactNode;
}

/** What became of it in a sentence or two, and what can be done now. */
export function LetterStanding({ letter: { queue, kind, at, attempt, reason, by, redrives, chain, erased }, actions }: Props) {
  return (
    <Panel title={text.standing}>
      <Stack gap="sm">
        <StatusText text={text.died(letterReason({ reason, chain }), String(attempt))} tone="bad" shape="square" wraps />
        {by !== 'jobwarden' && <Text size="sm">{text.byHand(visible(by))}</Text>}
        {redrives > 0 && <Text size="sm">{text.redriven(count(redrives))}</Text>}
        {erased !== undefined && <StatusText text={text.erased} tone="warn" shape="triangle" wraps />}
        {actions}
        <Facts
          facts={[
            [text.facts.queue, <Name key="queue" text={queue} />],
            [text.facts.kind, kind === null ? null : <Name key="kind" text={kind} />],
            [text.facts.at, <When key="at" at={at} />],
            [text.facts.attempts, count(chain.length)],
          ]}
        />
      </Stack>
    </Panel>
  );
}
