import { Text } from '@mantine/core';
import { ActionButton } from '../../kit/ActionButton';
import { DataTable, type Column } from '../../kit/DataTable';
import { JobLink } from '../../kit/JobLink';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { VERDICT_LOOKS, verdictText, type Verdict } from '../../kit/verdict-words';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { verdictWords } from '../../text/events';
import { stuck } from '../../text/stuck';
import { approveOne } from './approve';
import type { Where } from './stuck-queries';

const { now: text } = stuck;
const { columns: titles } = text;

function columnsFor(where: Where, approvable: boolean): readonly Column<Verdict>[] {
  return [
    { key: 'job', title: titles.job, cell: (verdict) => <JobLink job={verdict} /> },
    ...(where.queue === undefined ? [{ key: 'queue', title: titles.queue, cell: ({ queue }: Verdict) => <Name text={queue} /> }] : []),
    { key: 'what', title: titles.what, cell: verdictText },
    { key: 'worker', title: titles.worker, cell: ({ evidence }) => (evidence?.worker === undefined ? common.none : <Name text={evidence.worker} />) },
    { key: 'at', title: titles.at, cell: ({ at }) => <When at={at} /> },
    {
      key: 'grade',
      title: titles.grade,
      cell: ({ grade }) => {
        const [tone, shape] = VERDICT_LOOKS[grade];
        return <StatusText text={verdictWords.grade[grade].text} title={verdictWords.grade[grade].title} tone={tone} shape={shape} />;
      },
    },
    ...(approvable ? [{ key: 'approve', title: text.approveOne, action: true, cell: (verdict: Verdict) => <ActionButton action={approveOne(verdict)} /> }] : []),
  ];
}

interface Props {
  readonly label: string;
  readonly lead: string;
  readonly none: string;
  readonly verdicts: readonly Verdict[];
  readonly more: boolean;
  readonly where: Where;
  readonly approvable: boolean;
}

export function VerdictTable({ label, lead, none, verdicts, more, where, approvable }: Props) {
  return (
    <>
      <Text size="sm" c="dimmed" p="md">
        {verdicts.length === 0 ? none : lead}
      </Text>
      {verdicts.length > 0 && <DataTable label={label} columns={columnsFor(where, approvable)} rows={verdicts} rowKey={({ verdictId }) => verdictId} />}
      {more && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {text.more}
        </Text>
      )}
    </>
  );
}
