import { Panel } from '../../kit/Panel';
import { DataTable, type Column } from '../../kit/DataTable';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { job as words } from '../../text/job';
import { VERDICT_LOOKS, verdictState, verdictText } from '../../kit/verdict-words';
import { verdictWords } from '../../text/events';
import type { JobDetail, Verdict } from './job-queries';

const { columns } = words.verdicts;

const COLUMNS: readonly Column<Verdict>[] = [
  { key: 'at', title: columns.at, cell: ({ at }) => <When at={at} /> },
  { key: 'what', title: columns.what, cell: verdictText },
  {
    key: 'grade',
    title: columns.grade,
    cell: ({ grade, evidence }) => {
      if (evidence?.kind === 'report') return common.none;
      const [tone, shape] = VERDICT_LOOKS[grade];
      return <StatusText text={verdictWords.grade[grade].text} title={verdictWords.grade[grade].title} tone={tone} shape={shape} />;
    },
  },
  { key: 'state', title: columns.state, cell: (verdict) => (verdict.evidence?.kind === 'report' ? common.none : verdictState(verdict)) },
];

/** What was said and done about it, and whether that was right. */
export function Verdicts({ verdicts }: { readonly verdicts: readonly Verdict[]; readonly job: JobDetail }) {
  return (
    <Panel title={words.verdicts.title} flush>
      <DataTable label={words.verdicts.title} columns={COLUMNS} rows={verdicts} rowKey={({ verdictId }) => verdictId} />
    </Panel>
  );
}
