import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Empty } from '../../kit/Empty';
import { FollowUpRow } from '../../kit/FollowUpRow';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { pathTo } from '../../routes/paths';
import { incidents } from '../../text/incidents';
import classes from './IncidentRows.module.css';
import { followUpsQuery, type FollowUp } from './incidents-queries';

const { followUps: text } = incidents;

/** What incidents have left to do, over all of them. */
export function FollowUps({ namespace }: { readonly namespace: string | null }) {
  const open = useQuery(followUpsQuery(namespace, false));
  const done = useQuery(followUpsQuery(namespace, true));
  return (
    <Stack gap="lg">
      <Text size="sm">{text.lead}</Text>
      <Panel title={text.title} flush>
        <QueryView query={open} lines={3}>
          {({ items }) => (items.length === 0 ? <Empty title={text.none} text={text.noneText} /> : <Rows label={text.title} items={items} />)}
        </QueryView>
      </Panel>
      <Panel title={text.doneTitle} flush>
        <QueryView query={done} lines={2}>
          {({ items }) => (items.length === 0 ? <Empty title={text.noneDone} /> : <Rows label={text.doneTitle} items={items} />)}
        </QueryView>
      </Panel>
    </Stack>
  );
}

function Rows({ label, items }: { readonly label: string; readonly items: readonly FollowUp[] }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {items.map((item) => (
        <li key={item.followUpId}>
          <FollowUpRow
            item={item}
            aside={
              <Anchor component={Link} to={pathTo.postmortem(item.incidentId)} size="xs">
                {text.incident(item.incidentId)}
              </Anchor>
            }
          />
        </li>
      ))}
    </ul>
  );
}
