import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { conflictWord } from '../../kit/job-actions';
import { indentJson } from '../../kit/indent-json';
import type { JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { actions } from '../../text/job-actions';
import { escapeHidden, hiddenIn, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import { applyPatch, previewPatch, type PatchAnswer } from './patch-call';
import { PatchDiff } from './PatchDiff';
import { changeOf, treeOf } from './payload-change';

const { patch: text } = deadLetters;

interface Props {
  readonly job: JobRef;
  readonly bytes: string;
  /** What has been typed and not sent; null: nothing. */
  readonly onDraft: (typed: string | null) => void;
}

/** The payload as text that can be changed; what was changed is sent as a JSON Patch, after it was shown as a difference. */
export function PayloadEditor({ job, bytes, onDraft }: Props) {
  // The same values: only what is changed is sent, so what is spelled otherwise here stays as it is there.
  const shown = useMemo(() => escapeHidden(indentJson(bytes)), [bytes]);
  const before = useMemo(() => treeOf(shown), [shown]);
  const [typed, setTyped] = useState(shown);
  const [force, setForce] = useState(false);
  const { ops, fault } = useMemo(() => (typeof before === 'string' ? { ops: null, fault: before } : changeOf(before, typed)), [before, typed]);
  if (typeof before === 'string') return <Text size="sm">{text.notEditable(before)}</Text>;
  const hidden = hiddenIn(typed);
  const edit = (next: string): void => {
    setTyped(next);
    onDraft(next === shown ? null : next);
  };
  const action: Action<PatchAnswer, PatchAnswer> = {
    label: text.apply,
    preview: (signal) => previewPatch(job, ops ?? [], signal),
    says: (preview) =>
      preview !== undefined && (
        <Stack gap="sm">
          <span>{text.says(visible(job.id), text.places(preview.changes.length))}</span>
          <PatchDiff answer={preview} />
          <Checkbox label={actions.redrive.force} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
        </Stack>
      ),
    reason: 'needed',
    refused: conflictWord,
    run: async ({ reason, preview }) => {
      const answer = await applyPatch(job, ops ?? [], { reason, preview, force });
      onDraft(null);
      return answer;
    },
  };
  return (
    <Stack gap="sm">
      <Textarea className={classes.editor ?? ''} dir="ltr" label={text.field} value={typed} onChange={({ currentTarget }) => edit(currentTarget.value)} error={fault} autosize minRows={4} maxRows={24} autoComplete="off" spellCheck={false} />
      {hidden.length > 0 && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {text.hidden(hidden.join(', '))}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => edit(escapeHidden(typed))}>
            {text.escape}
          </Button>
        </Group>
      )}
      <Group gap="xs">
        <ActionButton action={action} variant="filled" blocked={fault ?? (ops.length === 0 ? text.same : null)} />
        {typed !== shown && (
          <Button size="xs" variant="default" onClick={() => edit(shown)}>
            {text.reset}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
