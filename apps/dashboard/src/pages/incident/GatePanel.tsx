import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { EvidenceList } from '../../kit/EvidenceList';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StatusText } from '../../kit/StatusText';
import { pathTo } from '../../routes/paths';
import { visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { gateWords } from './gate-words';
import { gateQuery, type Gate } from './incident-queries';

const { gate: text } = words;

/** Whether a rollout of the target may go on. */
export function GatePanel({ target, incidentId }: { readonly target: string; readonly incidentId: string }) {
  const query = useQuery(gateQuery(target, incidentId));
  return (
    <Panel title={text.title}>
      <QueryView query={query} lines={1}>
        {(gate) => <Answer gate={gate} />}
      </QueryView>
    </Panel>
  );
}

function Answer({ gate }: { readonly gate: Gate }) {
  const { closed, override, canary, evidence } = gate;
  const { verdict, look, says } = gateWords(gate);
  const open = closed.flatMap(({ incidentIds }) => incidentIds);
  return (
    <Stack gap="xs">
      <StatusText text={verdict} tone={look[0]} shape={look[1]} wraps />
      {says.map((said) => (
        <Text key={said} size="sm">
          {said}
        </Text>
      ))}
      {open.length > 0 && (
        <Text size="sm">
          {text.closedBy}
          {open.map((id) => (
            <Fragment key={id}>
              {' '}
              <Anchor component={Link} to={pathTo.postmortem(id)} size="sm">
                {text.postmortemOf(visible(id))}
              </Anchor>
            </Fragment>
          ))}
        </Text>
      )}
      {override?.holds === true && <Text size="sm">{text.override(visible(override.by), visible(override.reason))}</Text>}
      {canary !== null && <Text size="sm">{text.canary(visible(canary.revision))}</Text>}
      {evidence.length > 0 && (
        <EvidenceList evidence={evidence} />
      )}
    </Stack>
  );
}
