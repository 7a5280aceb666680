import { Code, Stack, Text } from '@mantine/core';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { Problem } from '../../api/problem';
import { Copy } from '../../kit/Copy';
import type { Action } from '../../kit/ActionDialog';
import { count } from '../../text/format';
import { incident as words } from '../../text/incident';
import { askedIn, notApprovable } from './approvable';
import type { Incident } from './incident-queries';
import { PlanList } from './Standing';

const { actions: text } = words;
type Link = components['schemas']['ApprovalLink'];

const path = ({ incidentId: id }: Incident) => ({ path: { id } });
/** What is shown may be a moment old: whoever confirms is to see what is asked now. */
const look = (incident: Incident) => (signal: AbortSignal) => read(api.GET('/v1/incidents/{id}', { params: path(incident), signal }));

export const approve = (incident: Incident): Action<Incident, unknown> => ({
  label: text.approve,
  preview: look(incident),
  says: (now) => {
    const why = now === undefined ? null : notApprovable(now);
    if (now?.run === undefined || why !== null) return why;
    if (now.run.phase === 'escalated' && now.run.code !== 'not_approved') return text.approveAgain;
    return (
      <Stack gap="xs">
        <span>{text.approveSays}</span>
        <PlanList plan={now.run.plan ?? []} />
        <span>{text.approveThen}</span>
      </Stack>
    );
  },
  ready: (now) => now !== undefined && notApprovable(now) === null,
  reason: 'needed',
  run: ({ reason, preview }) => {
    const asked = preview === undefined ? null : askedIn(preview);
    return read(api.POST('/v1/incidents/{id}/approve', { params: path(incident), body: { reason, ...(asked !== null && { asked }) } }));
  },
  refused: refusals,
});

/** What another person has done meanwhile, in words. */
const refusals = ({ code }: Problem): string | null => (Object.hasOwn(text.refused, code) ? text.refused[code as keyof typeof text.refused] : null);

export const abort = (incident: Incident): Action<undefined, unknown> => ({
  label: text.abort,
  dangerous: true,
  says: () => text.abortSays,
  reason: 'needed',
  run: ({ reason }) => read(api.POST('/v1/incidents/{id}/abort', { params: path(incident), body: { reason } })),
  refused: refusals,
});

export const resolve = (incident: Incident): Action<undefined, unknown> => ({
  label: text.resolve,
  says: () => text.resolveSays(count(incident.run?.queues.filter(({ percent }) => percent !== null).length ?? 0)),
  reason: 'needed',
  run: ({ reason }) => read(api.POST('/v1/incidents/{id}/resolve', { params: path(incident), body: { reason } })),
  refused: refusals,
});

export const approvalLink = (incident: Incident): Action<undefined, Link> => ({
  label: text.link,
  says: () => text.linkSays,
  reason: 'none',
  run: () => read(api.POST('/v1/incidents/{id}/approval-link', { params: path(incident) })),
  done: (link) => {
    const address = `${location.origin}${link.path}`;
    return (
      <Stack gap="xs">
        <Text size="sm">{text.linkDone}</Text>
        <Code block>{address}</Code>
        <div>
          <Copy text={address} />
        </div>
      </Stack>
    );
  },
});
