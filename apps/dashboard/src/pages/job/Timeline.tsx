import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CursorPages } from '../../kit/CursorPages';
import { Empty } from '../../kit/Empty';
import { ErrorState } from '../../kit/ErrorState';
import { Loading } from '../../kit/Loading';
import { Panel } from '../../kit/Panel';
import { count } from '../../text/format';
import { job as words } from '../../text/job';
import { eventsQuery, type JobDetail } from './job-queries';
import classes from './Timeline.module.css';
import { TimelineRow } from './TimelineRow';

const { timeline: text } = words;

/** The whole stream of the job. Heartbeats are no part of it: they move the lease, and the bars above show them. */
export function Timeline({ job: { namespace, queue, id } }: { readonly job: JobDetail }) {
  const events = useInfiniteQuery(eventsQuery({ namespace, queue, id }));
  const items = events.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Panel
      title={text.title}
      flush
      aside={
        items.length > 0 && (
          <Text size="sm" c="dimmed">
            {events.hasNextPage ? text.first(count(items.length)) : text.all(count(items.length))}
          </Text>
        )
      }
    >
      {events.data === undefined ? (
        events.error === null ? (
          <Loading lines={4} />
        ) : (
          <ErrorState error={events.error} onRetry={() => void events.refetch()} />
        )
      ) : items.length === 0 ? (
        <Empty title={text.none} />
      ) : (
        <>
          <Text size="sm" c="dimmed" px="md" pt="sm">
            {text.order}
          </Text>
          <ol className={classes.list}>
            {items.map((event, i) => (
              <TimelineRow key={`${String(event.position.shard)} ${String(event.position.number)}`} event={event} before={items[i - 1]?.at ?? null} />
            ))}
          </ol>
          <CursorPages hasMore={events.hasNextPage} busy={events.isFetchingNextPage} onMore={() => void events.fetchNextPage()} />
        </>
      )}
    </Panel>
  );
}
