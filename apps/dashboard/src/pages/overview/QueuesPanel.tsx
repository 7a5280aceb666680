import { Checkbox, NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useDeferredValue, useMemo } from 'react';
import { Empty } from '../../kit/Empty';
import { FilterField } from '../../kit/FilterField';
import { Panel } from '../../kit/Panel';
import { VirtualTable, type Sorting } from '../../kit/VirtualTable';
import { usePageQuery } from '../../routes/page-query';
import { common } from '../../text/common';
import { count } from '../../text/format';
import { overview as text } from '../../text/overview';
import { standingOf } from './attention';
import type { Overview } from './overview-query';
import classes from './QueuesPanel.module.css';
import { columnsOf, SORT_NAMES, SORTS, type Room, type QueueRow, type SortKey } from './queue-columns';

const { queues: words } = text;
const ROW = { wide: 48, narrow: 76 } as const;

interface Props {
  readonly overview: Overview;
  readonly namespace: string | null;
}

/** Every queue: what should be looked at comes first, unless one asks for another order. */
export function QueuesPanel({ overview: { queues, more }, namespace }: Props) {
  const [query, change] = usePageQuery();
  const room = useRoom();
  const narrow = room === 'phone';
  const [filter, onlyAttention] = [query.get('filter') ?? '', query.get('attention') === 'yes'];
  const wanted = useDeferredValue(filter.toLowerCase());
  const sorting = sortingOf(query);
  const several = namespace === null && new Set(queues.map((queue) => queue.namespace)).size > 1;
  const columns = useMemo(() => columnsOf({ several, room }), [several, room]);
  const rows = useMemo(() => {
    const all = queues.map((queue): QueueRow => ({ ...queue, standing: standingOf(queue) }));
    const shown = all.filter(
      ({ queue, namespace: space, standing }) => (!onlyAttention || standing.weight > 2) && (wanted === '' || `${space}/${queue}`.toLowerCase().includes(wanted)),
    );
    const by = SORTS[sorting.by];
    return shown.sort((a, b) => (sorting.descending ? by(b, a) : by(a, b)) || SORTS.queue(a, b));
  }, [queues, wanted, onlyAttention, sorting.by, sorting.descending]);
  const sortBy = (by: string): void => {
    const descending = by === sorting.by ? !sorting.descending : by !== 'queue';
    change({ sort: `${descending ? '-' : ''}${by}` });
  };
  if (queues.length === 0) {
    return (
      <Panel title={words.title}>
        <Empty title={words.none} text={words.noneText} />
      </Panel>
    );
  }
  const tools = (
    <div className={classes.tools}>
      <span className={classes.count} role="status">{common.table.of(count(rows.length), count(queues.length))}</span>
      <Checkbox size="xs" label={words.onlyAttention} checked={onlyAttention} onChange={({ currentTarget }) => change({ attention: currentTarget.checked ? 'yes' : null })} />
      {(narrow || room === 'tablet') && (
        <NativeSelect
          size="xs"
          aria-label={words.sort}
          value={sorting.by}
          data={SORT_NAMES}
          onChange={({ currentTarget }) => change({ sort: `${currentTarget.value === 'queue' ? '' : '-'}${currentTarget.value}` })}
        />
      )}
      <FilterField label={words.filter} value={filter} onChange={(text) => change({ filter: text })} />
    </div>
  );
  return (
    <Panel title={words.title} aside={tools} flush>
      {more && <p className={classes.more}>{words.more}</p>}
      {rows.length === 0 ? (
        <Empty title={words.noMatch} text={words.noMatchText} />
      ) : (
        <VirtualTable
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ namespace: space, queue }) => JSON.stringify([space, queue])}
          rowHeight={narrow ? ROW.narrow : ROW.wide}
          sorting={sorting}
          onSort={sortBy}
          narrow={narrow}
        />
      )}
    </Panel>
  );
}

function useRoom(): Room {
  const at = { getInitialValueInEffect: false };
  const [phone, tablet, desk] = [useMediaQuery('(width < 48em)', undefined, at), useMediaQuery('(width < 75em)', undefined, at), useMediaQuery('(width < 100em)', undefined, at)];
  return phone ? 'phone' : tablet ? 'tablet' : desk ? 'desk' : 'wide';
}

function sortingOf(query: URLSearchParams): Sorting & { readonly by: SortKey } {
  const given = query.get('sort') ?? '-attention';
  const by = given.replace(/^-/, '');
  return by in SORTS ? { by: by as SortKey, descending: given.startsWith('-') } : { by: 'attention', descending: true };
}
