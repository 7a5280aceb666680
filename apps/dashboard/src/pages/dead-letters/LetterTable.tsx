import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Name } from '../../kit/Name';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count } from '../../text/format';
import type { Letter } from './letter-queries';
import { diedOf, lastError } from './words';

const { letters: text } = deadLetters;

const QUEUE: Column<Letter> = { key: 'queue', title: text.columns.queue, cell: ({ queue }) => <Name text={queue} /> };
const COLUMNS: readonly Column<Letter>[] = [
  {
    key: 'id',
    title: text.columns.id,
    cell: ({ namespace, queue, id }) => (
      <Anchor component={Link} to={pathTo.deadLetter({ namespace, queue, id })} size="sm" ff="monospace">
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

export function LetterTable({ letters, oneQueue }: { readonly letters: readonly Letter[]; readonly oneQueue: boolean }) {
  const [id, ...rest] = COLUMNS;
  const columns = oneQueue || id === undefined ? COLUMNS : [id, QUEUE, ...rest];
  return <DataTable label={text.title} columns={columns} rows={letters} rowKey={(letter) => JSON.stringify([letter.queue, letter.id])} />;
}
