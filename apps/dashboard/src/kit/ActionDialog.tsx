import { Alert, Button, Code, Group, List, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Problem } from '../api/problem';
import { common } from '../text/common';
import { ErrorState, wordsOf } from './ErrorState';

const { action: words } = common;

export interface Action<Preview, Outcome> {
  /** What the button says: a verb and what it is done to. */
  readonly label: string;
  /** It cannot be taken back, or loses something: the button is red. Default false. */
  readonly dangerous?: boolean;
  /** What it is about to do and to how many, where only the service knows: a dry run, a count. Read when the dialog opens. */
  readonly preview?: (signal: AbortSignal) => Promise<Preview>;
  /** What it will do and to how many. */
  readonly says: (preview: Preview | undefined) => ReactNode;
  /** Whether it can be confirmed: there may be nothing to do, or a field of the dialog may be missing. Default true. */
  readonly ready?: (preview: Preview | undefined) => boolean;
  /** Whether the API wants to be told why. `needed`: it refuses without. */
  readonly reason: 'needed' | 'optional' | 'none';
  readonly run: (given: { readonly reason: string; readonly preview: Preview | undefined }) => Promise<Outcome>;
  /** A refusal in words that say what to do now. null, or left out: the service's own. */
  readonly refused?: (problem: Problem, preview: Preview | undefined) => string | null;
  /** What came of it. Left out: the dialog closes. */
  readonly done?: (outcome: Outcome) => ReactNode;
}

interface Props<Preview, Outcome> {
  readonly action: Action<Preview, Outcome>;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Says what an action will do, asks once, does it once, and tells what came of it. */
export function ActionDialog<Preview, Outcome>({ action, opened, onClose }: Props<Preview, Outcome>) {
  return (
    <Modal opened={opened} onClose={onClose} title={action.label} centered closeButtonProps={{ 'aria-label': words.cancel }}>
      {opened && <Body action={action} onClose={onClose} />}
    </Modal>
  );
}

function Body<Preview, Outcome>({ action, onClose }: Omit<Props<Preview, Outcome>, 'opened'>) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const { preview: look } = action;
  const preview = useQuery({
    queryKey: ['preview', action.label],
    queryFn: async ({ signal }) => ({ value: await look?.(signal) }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const body = useRef<HTMLDivElement>(null);
  // The dialog took the focus before there was a field in it.
  useEffect(() => {
    if (preview.isSuccess) body.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [preview.isSuccess]);
  const act = useMutation({
    mutationFn: () => action.run({ reason: reason.trim(), preview: preview.data?.value }),
    onSuccess: async (outcome) => {
      if (action.done === undefined || action.done(outcome) === null) onClose();
      // Whatever is on the page may be another now; the live stream would say so a moment later.
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'preview' && queryKey[0] !== 'me' });
    },
  });
  if (act.isSuccess && action.done !== undefined) {
    return (
      <Stack>
        <div role="status">{action.done(act.data)}</div>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {words.done}
          </Button>
        </Group>
      </Stack>
    );
  }
  if (preview.isPending) return <Text role="status">{words.counting}</Text>;
  if (preview.isError) return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />;
  const missing = action.reason === 'needed' && reason.trim() === '';
  const again = (): void => {
    act.reset();
    void preview.refetch();
  };
  const confirm = (): void => {
    setTried(true);
    if (!missing && !act.isPending) act.mutate();
  };
  return (
    <Stack ref={body}>
      <Text component="div" size="sm">
        {action.says(preview.data.value)}
      </Text>
      {action.reason !== 'none' && (
        <Textarea
          label={words.reason}
          description={words.reasonHelp}
          required={action.reason === 'needed'}
          error={tried && missing ? words.reasonMissing : null}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          autosize
          data-autofocus
        />
      )}
      {act.isError && <Refusal error={act.error} says={act.error instanceof Problem ? (action.refused?.(act.error, preview.data.value) ?? null) : null} onAgain={look !== undefined && isConflict(act.error) ? again : null} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.cancel}
        </Button>
        <Button
          {...(action.dangerous === true && { color: 'red.8' })}
          loading={act.isPending}
          disabled={action.ready?.(preview.data.value) === false}
          onClick={confirm}
          {...(action.reason === 'none' && { 'data-autofocus': true })}
        >
          {action.label}
        </Button>
      </Group>
    </Stack>
  );
}

/** What was shown is not how it stands any more: another look may help. */
const isConflict = (error: Error): boolean => error instanceof Problem && error.status === 409;

interface RefusalProps {
  readonly error: Error;
  /** What to do now; null: the service's own words, which know best why not. */
  readonly says: string | null;
  readonly onAgain: (() => void) | null;
}

function Refusal({ error, says, onAgain }: RefusalProps) {
  const { text, code } = wordsOf(error);
  const faults = error instanceof Problem ? error.faults : [];
  return (
    <Alert color="red" role="alert" title={words.failed}>
      <Text size="sm">{says ?? text}</Text>
      {faults.length > 0 && (
        <List size="sm">
          {faults.map(({ field, rule, send }) => (
            <List.Item key={field}>{`${field} ${rule} ${send}`}</List.Item>
          ))}
        </List>
      )}
      <Group gap="sm" mt={4}>
        {code !== null && <Code>{code}</Code>}
        {onAgain !== null && (
          <Button size="compact-xs" variant="default" onClick={onAgain}>
            {words.again}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
