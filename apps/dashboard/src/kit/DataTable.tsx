import type { ReactNode } from 'react';
import classes from './DataTable.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand to the right, so that they can be compared. Default false. */
  readonly number?: boolean;
}

interface Props<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/**
 * A page of a list as a table. On a narrow screen it scrolls inside of its own box, which the keyboard reaches. For long lists see
 * VirtualTable.
 */
export function DataTable<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  return (
    <div className={classes.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map(({ key, title, number }) => (
              <th key={key} scope="col" className={number === true ? classes.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, cell, number }) => (
                <td key={key} className={number === true ? classes.number : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
