import { Button, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { JobRef } from '../../routes/paths';
import { common } from '../../text/common';
import { job as words } from '../../text/job';
import { refOf } from '../../kit/job-actions';

/** This failure as the input of a test, into the clipboard. */
export function FixtureButton({ job }: { readonly job: JobRef }) {
  const copy = useMutation({
    mutationFn: async () => {
      const fixture = await read(api.GET('/v1/dead-letters/one/fixture', { params: { query: refOf(job) } }));
      await navigator.clipboard.writeText(JSON.stringify(fixture, null, 2));
    },
  });
  const label = copy.isSuccess ? common.copy.done : copy.isError ? copy.error.message : words.causes.fixture;
  return (
    <Tooltip label={words.causes.fixtureText} events={{ hover: true, focus: true, touch: true }}>
      <Button size="compact-xs" variant="default" loading={copy.isPending} onClick={() => copy.mutate()}>
        {label}
      </Button>
    </Tooltip>
  );
}
