import { Anchor, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { Problem } from '../../api/problem';
import { Empty } from '../../kit/Empty';
import { incidentWord } from '../../kit/incident-words';
import { Name } from '../../kit/Name';
import { Page } from '../../kit/Page';
import { QueryView } from '../../kit/QueryView';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { visible } from '../../text/format';
import { incident as text } from '../../text/incident';
import { CausePanel } from './CausePanel';
import { DeliveriesPanel } from './DeliveriesPanel';
import { EvidencePanel } from './EvidencePanel';
import { GatePanel } from './GatePanel';
import { IncidentActions } from './IncidentActions';
import classes from './IncidentPage.module.css';
import { incidentQuery, type Incident } from './incident-queries';
import { QueuesPanel } from './QueuesPanel';
import { Stages } from './Stages';
import { Standing } from './Standing';
import { StepLog } from './StepLog';

export default function IncidentPage() {
  const { id = '' } = useParams();
  const query = useQuery(incidentQuery(id));
  const { data, error } = query;
  const heading = data === undefined ? undefined : <Name text={data.summary} />;
  return (
    <Page
      title={text.title(visible(id))}
      heading={heading}
      lead={data === undefined ? undefined : <Lead incident={data} />}
      actions={data === undefined ? undefined : <IncidentActions incident={data} />}
    >
      {data === undefined && error instanceof Problem && error.status === 404 ? (
        <Empty title={text.none} text={text.noneText}>
          <Button component={Link} to={pathTo.incidents()} size="xs" variant="default">
            {text.all}
          </Button>
        </Empty>
      ) : (
        <QueryView query={query}>{(incident) => <View incident={incident} />}</QueryView>
      )}
    </Page>
  );
}

function Lead({ incident }: { readonly incident: Incident }) {
  const { incidentId, openedAt, steps, status, queue, subject, run } = incident;
  const by = steps[0]?.by;
  return (
    <span className={classes.lead}>
      <Anchor component={Link} to={pathTo.incidents()} size="sm">
        {text.all}
      </Anchor>
      <span>{text.title(visible(incidentId))}</span>
      <StatusText text={incidentWord(incident)} tone={status === 'open' ? 'bad' : 'calm'} shape={status === 'open' ? 'triangle' : 'ring'} />
      <Name text={queue ?? run?.target ?? run?.queues[0]?.queue ?? subject} />
      <span>
        {text.opened} <When at={openedAt} />
        {by !== undefined && by !== 'jobwarden' && ` ${text.stages.by(visible(by))}`}
      </span>
    </span>
  );
}

function View({ incident }: { readonly incident: Incident }) {
  const { run, incidentId } = incident;
  return (
    <>
      <Standing incident={incident} />
      <div className={classes.columns}>
        <Stages incident={incident} />
        <Stack gap="lg" className={classes.side ?? ''}>
          {run !== undefined && <CausePanel incident={incident} run={run} />}
          {run !== undefined && <QueuesPanel run={run} />}
          {run?.target != null && <GatePanel target={run.target} incidentId={incidentId} />}
          {run !== undefined && <EvidencePanel incidentId={incidentId} />}
          <DeliveriesPanel incident={incident} />
        </Stack>
      </div>
      <StepLog steps={incident.steps} />
    </>
  );
}
