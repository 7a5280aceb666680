import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';
import { common } from '../text/common';
import classes from './VirtualTable.module.css';

export interface VirtualColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** CSS track of the column, such as `minmax(8rem, 2fr)` or `6rem`. */
  readonly width: string;
  /** Figures stand to the right. Default false. */
  readonly number?: boolean;
  readonly sortable?: boolean;
  /** What the column means, where its title is short. */
  readonly hint?: string;
  /** On a phone it stands in the row's second line (`detail`), not at all (`hidden`), or has what is left of the first (`name`). Default: in the first. */
  readonly phone?: 'detail' | 'hidden' | 'name';
}

export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly rowHeight: number;
  readonly sorting: Sorting;
  readonly onSort: (by: string) => void;
  /** Rows stand in two lines, as on a phone. */
  readonly narrow: boolean;
}

/**
 * A table of any length that draws only the rows that can be seen. It is a table to screen readers too, which are told how many rows
 * there are.
 */
export function VirtualTable<Row>({ label, columns, rows, rowKey, rowHeight, sorting, onSort, narrow }: Props<Row>) {
  const scroll = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the compiler does not memoise this component; it need not
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => rowHeight, overscan: 8, getItemKey: (i) => i });
  const shown = narrow ? columns.filter(({ phone }) => phone !== 'hidden') : columns;
  const tracks = narrow ? undefined : shown.map(({ width }) => width).join(' ');
  return (
    <div ref={scroll} className={classes.scroll} role="region" aria-label={label} tabIndex={0} data-narrow={narrow || undefined}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className={classes.table}>
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row} style={{ gridTemplateColumns: tracks }}>
            {shown.map((column) => (
              <HeadCell key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={rowKey(row)}
                role="row"
                aria-rowindex={index + 2}
                className={classes.row}
                style={{ gridTemplateColumns: tracks, height: rowHeight, transform: `translateY(${String(start)}px)` }}
              >
                {shown.map(({ key, title, cell, number, phone }) => (
                  <div key={key} role="cell" className={number === true ? classes.number : classes.cell} data-line={narrow ? (phone ?? 'first') : undefined} data-title={title}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: VirtualColumn<Row>;
  readonly sorting: Sorting;
  readonly onSort: (by: string) => void;
}

function HeadCell<Row>({ column: { key, title, hint, number, sortable = true }, sorting, onSort }: HeadProps<Row>) {
  const sorted = sorting.by === key;
  const order = sorted ? (sorting.descending ? 'descending' : 'ascending') : 'none';
  return (
    <div role="columnheader" aria-sort={sortable ? order : undefined} className={number === true ? classes.number : classes.cell}>
      {sortable ? (
        <button type="button" className={classes.sort} onClick={() => onSort(key)} title={hint ?? common.table.sortBy(title)}>
          {title}
          <span aria-hidden="true" className={classes.arrow}>
            {sorted ? (sorting.descending ? '↓' : '↑') : ''}
          </span>
        </button>
      ) : (
        title
      )}
    </div>
  );
}
