import { Group, List, Stack, Text } from '@mantine/core';
import { ErrorText } from '../../kit/ErrorText';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { clockTime, utc, visible } from '../../text/format';
import { deadLetters } from '../../text/dead-letters';
import { job as jobWords } from '../../text/job';
import type { Letter } from './letter-queries';
import { endedWord } from './words';

const { letter: text } = deadLetters;
const { causes } = jobWords;
type ChainLink = Letter['chain'][number];

/** The first cause, and each attempt below it: what came later may be only its consequence. */
export function LetterCauses({ letter }: { readonly letter: Letter }) {
  const { chain, firstCause } = letter;
  return (
    <Panel title={text.why}>
      <Stack gap="md">
        {firstCause === undefined ? (
          <Text size="sm">{causes.silent}</Text>
        ) : (
          <div>
            <Text size="sm" c="dimmed">
              {chain.length > 1 ? `${causes.first} (${causes.attempt(String(firstCause.attempt))}). ${causes.firstNote}` : causes.attempt(String(firstCause.attempt))}
            </Text>
            <ErrorText error={firstCause.error} job={letter} />
          </div>
        )}
        {chain.length > 1 && (
          <div>
            <Text size="sm" c="dimmed">
              {text.chain}
            </Text>
            <List size="sm" spacing={4} listStyleType="none">
              {chain.map((link) => (
                <List.Item key={link.attempt}>
                  <AttemptLine link={link} letter={letter} isFirst={link.attempt === firstCause?.attempt} />
                </List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

function AttemptLine({ link, letter, isFirst }: { readonly link: ChainLink; readonly letter: Letter; readonly isFirst: boolean }) {
  const { attempt, ended, at, worker, error } = link;
  const who = [...(worker === undefined ? [] : [text.on(visible(worker.id))]), ...(worker?.revision === undefined ? [] : [text.release(visible(worker.revision))])];
  return (
    <>
      <Group gap="xs" component="span">
        <time dateTime={at} title={utc(Date.parse(at))}>
          {clockTime(Date.parse(at))}
        </time>
        <StatusText text={text.attempt(String(attempt), endedWord(ended))} tone="bad" shape={ended.startsWith('failed') ? 'cross' : 'ring'} wraps />
        <span>{who.join(', ')}</span>
      </Group>
      {error !== undefined && !isFirst && <ErrorText error={error} job={letter} small />}
    </>
  );
}
