/**
 * The parts that are read of the cluster's objects, as they come over the wire. The client's own classes are not used for them: they drop the fields that
 * they do not know, and a template of a newer cluster that is written back without some of its fields is another release.
 */
export interface ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string; readonly controller?: boolean }[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number; readonly paused?: boolean; readonly selector: LabelSelector; readonly template: PodTemplate };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface ReplicaSet {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number; readonly template: PodTemplate };
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: PodTemplate['spec'];
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly ready?: boolean;
  readonly state?: { readonly waiting?: { readonly reason?: string }; readonly terminated?: { readonly reason?: string } };
}

interface ScaleTarget {
  readonly kind?: string;
  readonly name?: string;
}

export interface HorizontalPodAutoscaler {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly scaleTargetRef: ScaleTarget; readonly minReplicas?: number; readonly maxReplicas: number };
}

export interface ScaledObject {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly scaleTargetRef?: ScaleTarget; readonly minReplicaCount?: number; readonly maxReplicaCount?: number };
}

/** The object that owns it as its controller; null: none. */
export function controllerOf({ ownerReferences }: ObjectMeta): { readonly kind: string; readonly uid: string } | null {
  return ownerReferences?.find((owner) => owner.controller === true) ?? null;
}

export function millis(time: string | undefined): number | null {
  const ms = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}
