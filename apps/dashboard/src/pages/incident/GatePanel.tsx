import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { figuresText } from '../../kit/figures';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { count, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { gateQuery, type Gate } from './incident-queries';

const { gate: text } = words;

const LOOKS: Readonly<Record<Gate['verdict'], readonly [Tone, Shape]>> = {
  healthy: ['ok', 'dot'],
  unhealthy: ['bad', 'cross'],
  inconclusive: ['calm', 'ring'],
  error: ['calm', 'eye'],
};

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

function Answer({ gate: { verdict, pass, closed, override, canary, evidence, needed } }: { readonly gate: Gate }) {
  const [tone, shape] = LOOKS[verdict];
  return (
    <Stack gap="xs">
      <StatusText text={text.verdict[verdict]} tone={tone} shape={shape} wraps />
      <Text size="sm">{pass ? text.passes : closed.length > 0 ? text.closed : text.waits}</Text>
      {override?.holds === true && <Text size="sm">{text.override(visible(override.by), visible(override.reason))}</Text>}
      {canary !== null && <Text size="sm">{text.canary(visible(canary.revision))}</Text>}
      {verdict === 'inconclusive' && needed.canary + needed.stable > 0 && <Text size="sm">{text.needed(count(needed.canary), count(needed.stable))}</Text>}
      {evidence.length > 0 && (
        <List size="sm">
          {evidence.map(({ says, figures }) => (
            <List.Item key={says}>
              {visible(says)}
              {Object.keys(figures).length > 0 && (
                <Text size="xs" c="dimmed">
                  {figuresText(figures)}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}
