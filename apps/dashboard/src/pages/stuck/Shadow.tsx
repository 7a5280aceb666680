import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../kit/Empty';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { usePageQuery } from '../../routes/page-query';
import { stuck } from '../../text/stuck';
import { ShadowEntry } from './ShadowEntry';
import { shadowQuery, type Where } from './stuck-queries';
import classes from './Shadow.module.css';

const { shadow: text } = stuck;
type Range = keyof typeof text.ranges;
const RANGES = Object.keys(text.ranges) as readonly Range[];

/** Whether Jobwarden would have been right, queue by queue and action by action, and which level that speaks for. */
export function Shadow({ where }: { readonly where: Where }) {
  const [query, change] = usePageQuery();
  const since = RANGES.find((range) => range === query.get('since')) ?? '24h';
  const report = useQuery(shadowQuery(where, since));
  return (
    <Panel
      title={text.title}
      flush
      aside={
        <NativeSelect
          size="xs"
          aria-label={text.since}
          value={since}
          data={RANGES.map((range) => ({ value: range, label: text.ranges[range] }))}
          onChange={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      }
    >
      <QueryView query={report}>
        {({ rows, rule }) => (
          <>
            {rows.length === 0 ? (
              <Empty title={text.none} text={text.noneText} />
            ) : (
              <ul className={classes.list}>
                {rows.map((row) => (
                  <ShadowEntry key={JSON.stringify([row.queue, row.action])} row={row} />
                ))}
              </ul>
            )}
            <Text size="sm" c="dimmed" p="md">
              {`${text.rule}: ${rule}`}
            </Text>
          </>
        )}
      </QueryView>
    </Panel>
  );
}
