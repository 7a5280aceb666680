// Worker pools that are Deployments of a Kubernetes cluster.
export { openCluster, type ClusterSource } from './cluster-access.js';
export { ClusterCalls, type ClusterAccess } from './cluster-calls.js';
export { KubernetesOrchestrator } from './kubernetes-orchestrator.js';
