import type { FollowUpView, PostmortemView } from '#libs/contracts';
import { jobPath, type AnsweredItem, type FollowUp, type Postmortem } from '#libs/domain';
import { stepView } from './incident-view.js';
import { iso, isoOrNull } from './time.js';

export function postmortemView(p: Postmortem): PostmortemView {
  const { facts: { incident, jobs }, times, cause, signature } = p;
  return {
    incidentId: incident.id,
    ...{ kind: incident.kind, subject: incident.subject, summary: p.summary, openedAt: iso(times.openedMs) },
    ...{ namespace: incident.queue?.namespace ?? null, queue: incident.queue?.queue ?? null },
    open: signature === null,
    missing: [...p.missing],
    times: {
      ...{ beganAt: isoOrNull(times.beganMs), isolatedAt: isoOrNull(times.isolatedMs), restoredAt: isoOrNull(times.restoredMs) },
      ...{ resolvedAt: isoOrNull(times.resolvedMs), detectMs: times.detectMs, isolateMs: times.isolateMs, restoreMs: times.restoreMs },
    },
    cause: cause === null ? null : {
      ...{ cause: cause.cause, subject: cause.subject, confidence: cause.confidence, selfSustained: cause.selfSustained },
      evidence: cause.says.map(({ says, figures }) => ({ says, figures: { ...figures } })),
    },
    timeline: p.timeline.map(stepView),
    jobs: { byStatus: { ...jobs.byStatus }, waiting: jobs.waiting, examples: jobs.examples.map((job) => ({ ...job, link: jobPath(job) })) },
    checklists: p.checklists.map(({ id, title, items }) => ({ checklist: id, title, items: items.map(itemView) })),
    followUps: p.followUps.map(followUpView),
    moreFollowUps: p.moreFollowUps,
    signature: signature === null ? null : { by: signature.by, at: iso(signature.atMs), note: signature.note },
  };
}

function itemView({ id, asks, answeredBy, data, person }: AnsweredItem): PostmortemView['checklists'][number]['items'][number] {
  return {
    ...{ item: id, asks, answeredBy },
    data: data === null ? null : { ...data, figures: { ...data.figures } },
    person: person === null ? null : { answer: person.answer, by: person.by, at: iso(person.atMs) },
  };
}

export function followUpView({ id, incidentId, kind, text, owner, addedBy, addedMs, done }: FollowUp): FollowUpView {
  return {
    followUpId: id,
    ...{ incidentId, kind, text, owner, addedBy, addedAt: iso(addedMs) },
    done: done === null ? null : { by: done.by, at: iso(done.atMs), note: done.note },
  };
}
