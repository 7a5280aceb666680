import { Button, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import { wordsOf } from '../../kit/ErrorState';
import type { JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';

const { letter: text } = deadLetters;

/** The failure as the input of a test, as a file. Its text is the service's, byte for byte: numbers stay as they are spelled. */
export function FixtureDownload({ job: { namespace, queue, id } }: { readonly job: JobRef }) {
  const get = useMutation({
    mutationFn: async () => {
      const fixture: unknown = await read(api.GET('/v1/dead-letters/one/fixture', { params: { query: { namespace, queue, id } }, parseAs: 'text' }));
      save('fixture.json', String(fixture));
    },
  });
  return (
    <Tooltip label={get.isError ? wordsOf(get.error).text : text.fixtureTitle} multiline maw="20rem" events={{ hover: true, focus: true, touch: true }}>
      <Button size="xs" variant="default" loading={get.isPending} onClick={() => get.mutate()}>
        {text.fixture}
      </Button>
    </Tooltip>
  );
}

function save(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser has yet to read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
