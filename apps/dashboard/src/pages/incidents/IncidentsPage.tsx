import { AddressTabs } from '../../kit/AddressTabs';
import { Page } from '../../kit/Page';
import { useNamedNamespace, useNamespace } from '../../routes/namespace';
import { incidents as text } from '../../text/incidents';
import { FollowUps } from './FollowUps';
import { IncidentLists } from './IncidentLists';
import { Maintenance } from './Maintenance';
import { OpenButton } from './OpenButton';
import { Refused } from './Refused';
import { Signals } from './Signals';

export default function IncidentsPage() {
  const named = useNamedNamespace();
  const namespace = useNamespace();
  return (
    <Page title={text.title} lead={text.lead} actions={<OpenButton namespace={namespace} />}>
      <AddressTabs
        label={text.tabs.label}
        titles={text.tabs}
        tabs={[
          ['incidents', () => <IncidentLists namespace={named} />],
          ['signals', () => <Signals namespace={named} />],
          ['maintenance', () => <Maintenance named={named} namespace={namespace} />],
          ['follow-ups', () => <FollowUps namespace={named} />],
          ['refused', () => <Refused namespace={namespace} />],
        ]}
        leaves={['incident']}
      />
    </Page>
  );
}
