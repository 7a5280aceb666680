import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../kit/Empty';
import { JobLink } from '../../kit/JobLink';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { usePageQuery } from '../../routes/page-query';
import { count } from '../../text/format';
import { stuck } from '../../text/stuck';
import classes from './Runs.module.css';
import { onlyText } from './row-words';
import { RunRows } from './RunRows';
import { runsQuery, type Run, type VerdictWord, type Where } from './stuck-queries';

const { runs: text, verdict: words } = stuck;
const VERDICTS = ['lost', 'hung', 'starved'] as const;

/** Every look that found something. */
export function Runs({ where }: { readonly where: Where }) {
  const [query, change] = usePageQuery();
  const verdict: VerdictWord | null = VERDICTS.find((word) => word === query.get('verdict')) ?? null;
  const next = query.get('next');
  const runs = useQuery(runsQuery(where, verdict, next));
  return (
    <Panel
      title={text.title}
      flush
      aside={
        <NativeSelect
          size="xs"
          aria-label={words.label}
          value={verdict ?? ''}
          data={[{ value: '', label: words.any }, ...VERDICTS.map((word) => ({ value: word, label: words[word] }))]}
          onChange={({ currentTarget }) => change({ verdict: currentTarget.value, next: null })}
        />
      }
    >
      <QueryView query={runs}>
        {({ items, next: older }) =>
          items.length === 0 ? (
            <Empty title={text.none} text={text.noneText} />
          ) : (
            <>
              <ul className={classes.list}>
                {items.map((run) => (
                  <OneRun key={run.id} run={run} />
                ))}
              </ul>
              <PageTurner at={next} next={older} />
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Of a run that has told of one job, which one, and what came of it: nobody should have to open it for that. */
function OnlyRow({ run: { rows } }: { readonly run: Run }) {
  const [row] = rows;
  if (row === undefined || rows.length > 1) return null;
  return (
    <span className={classes.only}>
      <JobLink job={row} /> <span>{onlyText(row)}</span>
    </span>
  );
}

function OneRun({ run }: { readonly run: Run }) {
  const [opened, setOpened] = useState(false);
  const { columns } = text;
  const figures = [
    [columns.looked, run.looked],
    [columns.decided, run.decided],
    [columns.would, run.wouldHave],
    [columns.held, run.held],
    [columns.unresolved, run.unresolved ?? 0],
  ] as const;
  return (
    <li className={classes.run}>
      <div className={classes.head}>
        <span className={classes.when}>
          <When at={run.startedAt} />
          <Text span size="xs" c="dimmed">
            {text.trigger[run.trigger]}
          </Text>
        </span>
        <span className={classes.figures}>
          <OnlyRow run={run} />
          {figures
            .filter(([name, value]) => value > 0 || name === columns.looked)
            .map(([name, value]) => (
              <span key={name}>{`${name} ${count(value)}`}</span>
            ))}
        </span>
        {run.rows.length > 0 && (
          <Button size="compact-xs" variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? text.hide : text.show(count(run.rows.length))}
          </Button>
        )}
      </div>
      {opened && <RunRows rows={run.rows} />}
    </li>
  );
}
