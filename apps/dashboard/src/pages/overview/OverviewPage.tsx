import { useQuery } from '@tanstack/react-query';
import { ActionButton } from '../../kit/ActionButton';
import { Page } from '../../kit/Page';
import { QueryView } from '../../kit/QueryView';
import { useNamedNamespace } from '../../routes/namespace';
import { overview as text } from '../../text/overview';
import { switchAction, useSwitchBlocked } from './actions-switch';
import { ActionsNote } from './ActionsNote';
import { GatesPanel } from './GatesPanel';
import { Glance } from './Glance';
import { IncidentsPanel } from './IncidentsPanel';
import { LanesPanel } from './LanesPanel';
import { overviewQuery } from './overview-query';
import classes from './OverviewPage.module.css';
import { QueuesPanel } from './QueuesPanel';

export default function OverviewPage() {
  const namespace = useNamedNamespace();
  const overview = useQuery(overviewQuery(namespace));
  const blocked = useSwitchBlocked();
  return (
    <Page title={text.title} actions={overview.data?.actions.enabled === true && <ActionButton action={switchAction(false)} scope="admin" blocked={blocked} />}>
      <QueryView query={overview} lines={12}>
        {(data) => (
          <>
            <ActionsNote actions={data.actions} />
            <Glance overview={data} namespace={namespace} />
            <div className={classes.beside}>
              <div className={classes.stack}>
                <IncidentsPanel incidents={data.incidents} open={data.openIncidents} />
                {data.gates.length > 0 && <LanesPanel lanes={data.lanes} />}
              </div>
              {data.gates.length > 0 ? <GatesPanel gates={data.gates} /> : <LanesPanel lanes={data.lanes} />}
            </div>
            <QueuesPanel overview={data} namespace={namespace} />
          </>
        )}
      </QueryView>
    </Page>
  );
}
