import { isDeepStrictEqual } from 'node:util';
import type { PodSeen, Scaler, WorkloadRelease, WorkloadSeen } from '#libs/domain';
import { controllerOf, millis, type Deployment, type Pod, type PodTemplate, type ReplicaSet } from './objects.js';
import { revisionOf, SCHEMA_KEY, SCHEMA_VERSION_KEY } from './revision.js';
import { writerOf } from './writers.js';

const HASH_LABEL = 'pod-template-hash';
const ROLLOUT_KEY = 'deployment.kubernetes.io/revision';
const DESIRED_KEY = 'deployment.kubernetes.io/desired-replicas';

export interface ClusterLook {
  readonly target: string;
  readonly deployment: Deployment;
  /** By the deployment's selector: those of other owners among them. */
  readonly replicaSets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
  readonly scaler: Scaler | null;
  readonly unseen: readonly string[];
}

export function workloadSeen(look: ClusterLook): WorkloadSeen {
  const { target, deployment, scaler, unseen } = look;
  const { metadata, spec, status = {} } = deployment;
  const releases = ownReplicaSets(deployment, look.replicaSets);
  const wished = releases.find((set) => sameTemplate(set, spec.template));
  const managed = metadata.managedFields ?? [];
  return {
    target,
    version: versionOf(deployment),
    generation: metadata.generation ?? 0,
    observedGeneration: status.observedGeneration ?? 0,
    wanted: spec.replicas ?? 1,
    replicas: status.replicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    revision: revisionOf(spec.template),
    releaseId: wished?.metadata.name ?? null,
    releases: releases.map(releaseOf),
    pods: ownPods(deployment, look).map(podSeen),
    paused: spec.paused === true,
    failure: failureOf(deployment),
    hindrance: hindranceOf(deployment),
    schemaVersion: metadata.annotations?.[SCHEMA_VERSION_KEY] ?? null,
    scaler,
    writers: { release: writerOf(managed, 'template'), replicas: writerOf(managed, 'replicas') },
    unseen,
  };
}

/** The object and its state: another one of the same name is not the same. */
export function versionOf({ metadata }: Deployment): string {
  return `${metadata.uid}/${metadata.resourceVersion}`;
}

/** Those that the deployment controls, the one that was wished for last first. A selector alone also finds those of others. */
export function ownReplicaSets({ metadata }: Deployment, all: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const rollout = (set: ReplicaSet) => Number(set.metadata.annotations?.[ROLLOUT_KEY] ?? 0);
  return all.filter((set) => controllerOf(set.metadata)?.uid === metadata.uid).sort((a, b) => rollout(b) - rollout(a));
}

/** The template that the deployment had when the set was made. */
export function templateOf(set: ReplicaSet): PodTemplate {
  const { metadata, ...rest } = set.spec.template;
  const labels = Object.fromEntries(Object.entries(metadata?.labels ?? {}).filter(([key]) => key !== HASH_LABEL));
  return { ...rest, metadata: { ...metadata, labels } };
}

export function sameTemplate(set: ReplicaSet, template: PodTemplate): boolean {
  return isDeepStrictEqual(templateOf(set), template);
}

function releaseOf(set: ReplicaSet): WorkloadRelease {
  const { name, annotations, creationTimestamp } = set.metadata;
  const schema = set.spec.template.metadata?.annotations?.[SCHEMA_KEY];
  const desired = Number(annotations?.[DESIRED_KEY] ?? NaN);
  return {
    id: name,
    revision: revisionOf(set.spec.template),
    ...(schema === undefined ? {} : { schema }),
    createdMs: millis(creationTimestamp) ?? 0,
    ...(Number.isInteger(desired) ? { desiredReplicas: desired } : {}),
  };
}

/**
 * Pods of this deployment, those that are stopping included. One whose set is gone counts: with a history of 0 the set is removed while its last pods stop.
 * One whose set is another deployment's does not.
 */
function ownPods({ metadata }: Deployment, { pods, replicaSets }: ClusterLook): readonly Pod[] {
  const foreign = new Set(replicaSets.filter((set) => controllerOf(set.metadata)?.uid !== metadata.uid).map((set) => set.metadata.uid));
  return pods.filter((pod) => {
    const owner = controllerOf(pod.metadata);
    return owner?.kind === 'ReplicaSet' && !foreign.has(owner.uid);
  });
}

function podSeen(pod: Pod): PodSeen {
  const { metadata, status } = pod;
  const ready = status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
  const reason = ready ? undefined : reasonOf(pod);
  const revision = revisionOf({ metadata, ...(pod.spec === undefined ? {} : { spec: pod.spec }) });
  return { name: metadata.name, revision, ready, terminating: metadata.deletionTimestamp !== undefined, ...(reason === undefined ? {} : { reason }) };
}

/** The nearest cause first: what a container waits for, where it could not be placed, its phase. */
function reasonOf({ status }: Pod): string | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter((one) => one.ready !== true);
  const stuck = containers.map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason).find((one) => one !== undefined);
  const unmet = status?.conditions?.find((one) => one.status === 'False' && one.reason !== undefined && (one.type === 'PodScheduled' || one.type === 'Ready'));
  return stuck ?? status?.reason ?? unmet?.reason ?? status?.phase;
}

/** Only of the present wish: before it is read, the conditions are those of an older one. */
function failureOf(deployment: Deployment): string | null {
  const failed = conditionOf(deployment, 'Progressing', 'False');
  return failed?.reason === 'ProgressDeadlineExceeded' ? 'ProgressDeadlineExceeded' : null;
}

/** Quota, admission: pods that are not even made explain nothing themselves. */
function hindranceOf(deployment: Deployment): string | null {
  const failed = conditionOf(deployment, 'ReplicaFailure', 'True');
  return failed === undefined ? null : `${failed.reason ?? 'ReplicaFailure'}: ${(failed.message ?? '').slice(0, 300)}`;
}

function conditionOf({ metadata, status }: Deployment, type: string, holds: string) {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
  return status?.conditions?.find((one) => one.type === type && one.status === holds);
}
