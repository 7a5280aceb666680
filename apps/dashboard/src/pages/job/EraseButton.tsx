import { List, Stack, Text } from '@mantine/core';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { count, visible } from '../../text/format';
import { actions } from '../../text/job-actions';
import { refOf } from '../../kit/job-actions';
import type { JobDetail } from './job-queries';

type Erased = components['schemas']['EraseAnswer'];
const { erase: text } = actions;

export function EraseButton({ job }: { readonly job: JobDetail }) {
  const action: Action<undefined, Erased> = {
    label: text.label,
    dangerous: true,
    says: () => text.says(visible(job.id)),
    reason: 'needed',
    run: ({ reason }) => read(api.DELETE('/v1/jobs/one/payload', { params: { query: refOf(job) }, body: { reason } })),
    done: ({ found, outOfReach }) => (
      <Stack gap="sm">
        <Text size="sm">{text.done(count(found.bodies), count(found.commands), count(found.quarantined))}</Text>
        {outOfReach.length > 0 && (
          <>
            <Text size="sm">{text.outOfReach}</Text>
            <List size="sm">
              {outOfReach.map(({ where, what }) => (
                <List.Item key={`${where} ${what}`}>{what}</List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
    ),
  };
  return <ActionButton action={action} />;
}
