import { Anchor, Code, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMe } from '../../api/me';
import type { JobRef } from '../../routes/paths';
import { common } from '../../text/common';
import { job as words } from '../../text/job';
import { eventsQuery } from './job-queries';
import { traceHref, traceIdOf } from './trace';

/** To the newest trace of the job; where nobody has said where traces are looked at, its id; words where none was told. */
export function TraceLink({ job: { namespace, queue, id } }: { readonly job: JobRef }) {
  const events = useInfiniteQuery(eventsQuery({ namespace, queue, id }));
  const traceparent = events.data?.pages.flatMap(({ items }) => items).findLast((event) => traceIdOf(event.traceparent) !== null)?.traceparent;
  if (events.isSuccess && traceparent === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {words.standing.facts.noTrace}
      </Text>
    );
  }
  return traceparent === undefined ? common.none : <Trace traceparent={traceparent} />;
}

export function Trace({ traceparent }: { readonly traceparent: string | undefined }) {
  const { traceUrl } = useMe();
  const traceId = traceIdOf(traceparent);
  if (traceId === null) return null;
  const href = traceHref(traceUrl, traceId);
  if (href === null) return <Code title={traceId}>{`${traceId.slice(0, 8)}…`}</Code>;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" size="sm" title={traceId}>
      {words.timeline.openTrace(traceId.slice(0, 8))}
    </Anchor>
  );
}
