import { Tabs } from '@mantine/core';
import { Page } from '../../kit/Page';
import { useNamedNamespace, useNamespace } from '../../routes/namespace';
import { usePageQuery } from '../../routes/page-query';
import { incidents as text } from '../../text/incidents';
import { FollowUps } from './FollowUps';
import { IncidentLists } from './IncidentLists';
import { Maintenance } from './Maintenance';
import { OpenButton } from './OpenButton';
import { Refused } from './Refused';
import { Signals } from './Signals';

const TABS = ['incidents', 'signals', 'maintenance', 'follow-ups', 'refused'] as const;

export default function IncidentsPage() {
  const named = useNamedNamespace();
  const namespace = useNamespace();
  const [query, change] = usePageQuery();
  const tab = TABS.find((name) => name === query.get('tab')) ?? 'incidents';
  return (
    <Page title={text.title} lead={text.lead} actions={<OpenButton namespace={namespace} />}>
      <Tabs value={tab} onChange={(name) => change({ tab: name === 'incidents' ? null : name, next: null, incident: null })} keepMounted={false}>
        <Tabs.List aria-label={text.tabs.label} mb="md">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {text.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="incidents">
          <IncidentLists namespace={named} />
        </Tabs.Panel>
        <Tabs.Panel value="signals">
          <Signals namespace={named} />
        </Tabs.Panel>
        <Tabs.Panel value="maintenance">
          <Maintenance named={named} namespace={namespace} />
        </Tabs.Panel>
        <Tabs.Panel value="follow-ups">
          <FollowUps namespace={named} />
        </Tabs.Panel>
        <Tabs.Panel value="refused">
          <Refused namespace={namespace} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
