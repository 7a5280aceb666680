import { DataTable, type Column } from '../../kit/DataTable';
import { JobLink } from '../../kit/JobLink';
import { LevelText } from '../../kit/LevelText';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { common } from '../../text/common';
import { stuck } from '../../text/stuck';
import { decisionWord, OUTCOME_LOOKS, outcomeText, sawText } from './row-words';
import type { RunRow } from './stuck-queries';

const { runs: text } = stuck;
const { rowColumns: titles } = text;

const COLUMNS: readonly Column<RunRow>[] = [
  { key: 'job', title: titles.job, cell: (row) => <JobLink job={row} /> },
  {
    key: 'outcome',
    title: titles.outcome,
    cell: (row) => {
      const [tone, shape] = OUTCOME_LOOKS[row.outcome];
      return <StatusText text={outcomeText(row)} tone={tone} shape={shape} wraps />;
    },
  },
  { key: 'saw', title: titles.saw, cell: sawText },
  { key: 'decided', title: titles.decided, cell: ({ decisions }) => (decisions.length === 0 ? common.none : decisions.map(decisionWord).join(', ')) },
  { key: 'level', title: titles.level, cell: ({ level }) => (level === null ? common.none : <LevelText level={level} />) },
  { key: 'worker', title: titles.worker, cell: ({ worker }) => (worker === undefined ? common.none : <Name text={worker} />) },
];

export function RunRows({ rows }: { readonly rows: readonly RunRow[] }) {
  return <DataTable label={text.title} columns={COLUMNS} rows={rows} rowKey={({ queue, id, reason }) => JSON.stringify([queue, id, reason])} />;
}
