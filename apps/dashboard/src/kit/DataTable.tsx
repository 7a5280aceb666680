import type { ReactNode } from 'react';
import { common } from '../text/common';
import classes from './DataTable.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand to the right, so that they can be compared. Default false. */
  readonly number?: boolean;
  /** Buttons, which need no name before them where a row is a list. Default false. */
  readonly action?: boolean;
}

interface Props<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/**
 * A page of a list as a table. Where its box is narrow each row is a list: its first cell as the heading, and below it a line for each
 * other cell that says something. The roles stand there because some browsers forget a table that is not laid out as one. For long
 * lists see VirtualTable.
 */
export function DataTable<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  return (
    <div className={classes.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, title, number }) => (
              <th key={key} role="columnheader" scope="col" className={number === true ? classes.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column: { title, cell, number, action }, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const shown = cell(row);
  return (
    <td role="cell" className={number === true ? classes.number : undefined} data-label={action === true ? undefined : title} data-none={shown === common.none || undefined}>
      <div className={classes.value}>{shown}</div>
    </td>
  );
}
