import { Group, Stack, Text } from '@mantine/core';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { count, visible } from '../../text/format';
import { stuck } from '../../text/stuck';
import { RunRows } from './RunRows';
import type { Run, Where } from './stuck-queries';

const { run: text } = stuck;

/** The reconciler, asked for: as it is, or only to see. */
function runAction({ namespace, queue }: Where, dryRun: boolean): Action<undefined, Run> {
  const at = queue === undefined ? text.everywhere : text.ofQueue(visible(queue));
  return {
    label: dryRun ? text.dry : text.now,
    says: () => (dryRun ? text.drySays(at) : text.nowSays(at)),
    reason: 'none',
    run: () => read(api.POST('/v1/reconciliations', { params: { query: { namespace } }, body: { dryRun, ...(queue !== undefined && { queue }) } })),
    done: (run) => (
      <Stack gap="sm">
        <Text size="sm">{run.looked === 0 ? text.nothing : text.found(count(run.looked), count(run.decided), count(run.wouldHave), count(run.held))}</Text>
        {run.more === true && <Text size="sm">{text.more}</Text>}
        {run.rows.length > 0 && <RunRows rows={run.rows} />}
      </Stack>
    ),
  };
}

export function RunButtons({ where }: { readonly where: Where }) {
  return (
    <Group gap="xs">
      <ActionButton action={runAction(where, true)} />
      <ActionButton action={runAction(where, false)} />
    </Group>
  );
}
