import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Empty } from '../../kit/Empty';
import { FollowUpRow } from '../../kit/FollowUpRow';
import { PagedView } from '../../kit/PagedView';
import { Panel } from '../../kit/Panel';
import { usePageQuery } from '../../routes/page-query';
import { pathTo } from '../../routes/paths';
import { visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import classes from './IncidentRows.module.css';
import { followUpsQuery, type FollowUp } from './incidents-queries';

const { followUps: text } = incidents;

/** What incidents have left to do, over all of them, or of the one that the address names. */
export function FollowUps({ namespace }: { readonly namespace: string | null }) {
  const [query, change] = usePageQuery();
  const incident = query.get('incident');
  const open = useInfiniteQuery(followUpsQuery(namespace, incident, false));
  const done = useInfiniteQuery(followUpsQuery(namespace, incident, true));
  return (
    <Stack gap="lg">
      <Text size="sm">{text.lead}</Text>
      {incident !== null && (
        <Group gap="sm">
          <Text size="sm">{text.of(visible(incident))}</Text>
          <Button size="compact-xs" variant="default" onClick={() => change({ incident: null })}>
            {text.ofAll}
          </Button>
        </Group>
      )}
      <Panel title={text.title} flush>
        <PagedView query={open} lines={3} empty={<Empty title={text.none} text={text.noneText} />}>
          {(items) => <Rows label={text.title} items={items} />}
        </PagedView>
      </Panel>
      <Panel title={text.doneTitle} flush>
        <PagedView query={done} lines={2} empty={<Empty title={text.noneDone} />}>
          {(items) => <Rows label={text.doneTitle} items={items} />}
        </PagedView>
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
