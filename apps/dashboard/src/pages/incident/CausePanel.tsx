import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { EvidenceList } from '../../kit/EvidenceList';
import { causeSays, causeWord } from '../../kit/incident-words';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { pathTo } from '../../routes/paths';
import { ratio, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { incidentWords } from '../../text/incident-words';
import { assessedIn } from './assessed';
import { Blamed } from './Blamed';
import type { Incident, Run } from './incident-queries';

const { cause: text } = words;

/** What it comes from, how sure that is, and the sentences that it rests on. */
export function CausePanel({ incident, run }: { readonly incident: Incident; readonly run: Run }) {
  const assessed = assessedIn(incident.steps);
  if (assessed === null) {
    return (
      <Panel title={text.title}>
        <StatusText text={text.none} tone="busy" shape="ring" />
      </Panel>
    );
  }
  const { cause, confidence, selfSustained, says } = assessed;
  const meaning = causeSays(cause);
  const [first] = run.queues;
  const sure = confidence === null ? null : run.source === 'person' && confidence === 1 ? text.byPerson : incidentWords.sure(ratio(confidence));
  return (
    <Panel title={text.title} aside={sure === null ? null : <Text size="sm">{sure}</Text>}>
      <Stack gap="sm">
        <div>
          <Text fw={600}>{text.named(causeWord(cause))}</Text>
          {meaning !== null && <Text size="sm">{meaning}</Text>}
          {selfSustained && <Text size="sm">{text.selfSustained}</Text>}
        </div>
        <Blamed run={run} namespace={first?.namespace ?? incident.namespace} />
        {says.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {text.evidence}
            </Text>
            <EvidenceList evidence={says} />
          </div>
        )}
        {first !== undefined && (
          <Anchor component={Link} size="sm" to={pathTo.jobs({ namespace: first.namespace, queue: first.queue, status: 'failed' })}>
            {text.jobsOf(visible(first.queue))}
          </Anchor>
        )}
      </Stack>
    </Panel>
  );
}
