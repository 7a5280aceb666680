import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters as text } from '../../text/dead-letters';
import { visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import { queuesQuery, type Where } from './letter-queries';

/** Another queue is another list: it begins at its first page. */
export function QueueChoice({ where: { namespace, queue } }: { readonly where: Where }) {
  const [, change] = usePageQuery();
  const { data: names = [] } = useQuery(queuesQuery(namespace));
  const choices = queue === undefined || names.includes(queue) ? names : [...names, queue];
  return (
    <NativeSelect
      size="xs"
      className={classes.queue ?? ''}
      label={text.queue}
      value={queue ?? ''}
      data={[{ value: '', label: text.allQueues }, ...choices.map((name) => ({ value: name, label: visible(name) }))]}
      onChange={({ currentTarget }) => change({ queue: currentTarget.value, next: null })}
    />
  );
}
