import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { ActionButton } from '../../kit/ActionButton';
import { pathTo } from '../../routes/paths';
import { incident as text } from '../../text/incident';
import { notAbortable, notApprovable } from './approvable';
import { abort, approvalLink, approve, resolve } from './incident-actions';
import type { Incident } from './incident-queries';

/** What a person can do about it. What can be done alone is shown; what cannot, and why, once it is open. */
export function IncidentActions({ incident }: { readonly incident: Incident }) {
  const { incidentId, status, run } = incident;
  const open = status === 'open';
  const unapprovable = notApprovable(incident);
  return (
    <>
      {open && run !== undefined && (
        <>
          <ActionButton action={approve(incident)} blocked={unapprovable} variant={unapprovable === null ? 'filled' : 'default'} />
          {unapprovable === null && <ActionButton action={approvalLink(incident)} />}
          <ActionButton action={abort(incident)} blocked={notAbortable(incident)} />
        </>
      )}
      {open && <ActionButton action={resolve(incident)} />}
      <Button component={Link} to={pathTo.postmortem(incidentId)} size="xs" variant="default">
        {text.postmortem}
      </Button>
    </>
  );
}
