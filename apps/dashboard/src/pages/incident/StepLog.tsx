import { Text } from '@mantine/core';
import { Panel } from '../../kit/Panel';
import { StepList } from '../../kit/StepList';
import { count } from '../../text/format';
import { incident as words } from '../../text/incident';
import type { Step } from './incident-queries';

const { log: text } = words;

/** Everything that was written down, the newest first: an incident has 200 steps at most. */
export function StepLog({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <Panel title={text.title} aside={<Text size="sm">{count(steps.length)}</Text>} flush>
      <StepList label={text.label} steps={steps.toReversed()} figures />
    </Panel>
  );
}
