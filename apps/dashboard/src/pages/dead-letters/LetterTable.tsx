import { Anchor, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Name } from '../../kit/Name';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import type { Letter } from './letter-queries';
import { diedOf, lastError } from './words';

const { letters: text } = deadLetters;

const QUEUE: Column<Letter> = { key: 'queue', title: text.columns.queue, cell: ({ queue }) => <Name text={queue} /> };
const COLUMNS: readonly Column<Letter>[] = [
  {
    key: 'id',
    title: text.columns.id,
    cell: ({ namespace, queue, id }) => (
      <Anchor component={Link} to={pathTo.deadLetter({ namespace, queue, id })} size="sm" ff="monospace" className={classes.id ?? ''}>
        <Name text={id} />
      </Anchor>
    ),
  },
  { key: 'died', title: text.columns.died, cell: ({ at }) => <When at={at} /> },
  {
    key: 'of',
    title: text.columns.of,
    cell: (letter) => {
      const error = lastError(letter);
      return error === null ? (
        diedOf(letter.reason)
      ) : (
        <Text size="sm" lineClamp={2}>
          <bdi>{error}</bdi>
        </Text>
      );
    },
  },
  { key: 'redrives', title: text.columns.redrives, cell: ({ redrives }) => (redrives === 0 ? text.never : text.times(count(redrives))) },
];

interface Props {
  readonly letters: readonly Letter[];
  /** The queue stands above the list already. */
  readonly oneQueue: boolean;
}

/** On a phone a list: in a table of that width every id is broken into pieces, and what it died of is out of sight. */
export function LetterTable({ letters, oneQueue }: Props) {
  const narrow = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false });
  if (narrow) {
    return (
      <ul className={classes.list} aria-label={text.title}>
        {letters.map((letter) => (
          <LetterItem key={keyOf(letter)} letter={letter} oneQueue={oneQueue} />
        ))}
      </ul>
    );
  }
  const [id, ...rest] = COLUMNS;
  const columns = oneQueue || id === undefined ? COLUMNS : [id, QUEUE, ...rest];
  return <DataTable label={text.title} columns={columns} rows={letters} rowKey={keyOf} />;
}

function LetterItem({ letter, oneQueue }: { readonly letter: Letter; readonly oneQueue: boolean }) {
  const { namespace, queue, id, at, reason, redrives } = letter;
  return (
    <li className={classes.item}>
      <div className={classes.title}>
        <Anchor component={Link} to={pathTo.deadLetter({ namespace, queue, id })} size="sm" ff="monospace">
          <Name text={id} />
        </Anchor>
      </div>
      <Text size="sm" lineClamp={2}>
        <bdi>{lastError(letter) ?? diedOf(reason)}</bdi>
      </Text>
      <p className={classes.detail}>
        <When at={at} />
        {[...(oneQueue ? [] : [text.ofQueue(visible(queue))]), ...(redrives === 0 ? [] : [text.redriven(count(redrives))])].map((fact) => ` · ${fact}`).join('')}
      </p>
    </li>
  );
}

const keyOf = ({ queue, id }: Letter): string => JSON.stringify([queue, id]);
