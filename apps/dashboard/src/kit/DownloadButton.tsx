import { Button, Text, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMissingScope, type Scope } from '../api/me';
import { common } from '../text/common';
import { wordsOf } from './ErrorState';

interface Props {
  readonly label: string;
  /** Of the file as it is saved. Nothing of it may be a name that somebody else chose. */
  readonly fileName: string;
  readonly load: () => Promise<Blob>;
  /** Default `read`. */
  readonly scope?: Scope;
}

/** Saves what the service gives out: by a request with the token, which a plain link would not carry. */
export function DownloadButton({ label, fileName, load, scope = 'read' }: Props) {
  const missing = useMissingScope(scope);
  const saving = useMutation({ mutationFn: load, onSuccess: (blob) => save(blob, fileName) });
  if (missing !== null) {
    const why = common.noScope.action(missing);
    return (
      <Tooltip label={why} multiline maw="20rem" events={{ hover: true, focus: true, touch: true }}>
        <Button size="xs" variant="default" data-disabled aria-disabled aria-description={why} onClick={(event) => event.preventDefault()}>
          {label}
        </Button>
      </Tooltip>
    );
  }
  return (
    <>
      <Button size="xs" variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
        {label}
      </Button>
      {saving.isError && (
        <Text size="xs" c="var(--bad)" role="alert">
          {wordsOf(saving.error).text}
        </Text>
      )}
    </>
  );
}

function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has to have begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
