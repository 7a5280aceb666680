export type { Fault, Result } from './fault.js';
export { formatFault, formatFaults } from './fault.js';
export { Secret } from './secret.js';
export type { Environment, KafkaEnvironment, LogLevel, Pooling, Role } from './environment-types.js';
export { LOG_LEVELS, ROLES } from './environment-types.js';
export { readEnvironment } from './environment.js';
export type { Variables } from './environment-reading.js';
export { checkSchemaDatabases } from './schema-databases.js';
export { checkExposure, isLoopback } from './exposure.js';
export { formatDuration, formatSize, MAX_DURATION_MS, parseDuration } from './quantities.js';
export type {
  IntakeLimits,
  NamespaceScope,
  OrchestratorEntry,
  Origin,
  PolicyEntry,
  PolicyFile,
  PolicyLayer,
  PolicyScope,
  QueueScope,
  ResolvedPolicy,
  SecretRef,
  TokenEntry,
  TokenScope,
  WebhookEvent,
  WebhookTarget,
} from './policy-types.js';
export { POLICY_LAYERS, TOKEN_SCOPES, WEBHOOK_EVENTS } from './policy-types.js';
export { builtInPolicy, parsePolicy } from './policy-file.js';
export { listPolicies, resolvePolicy } from './resolve-policy.js';
export { PolicySource, type PolicyFiles, type PolicyListener, type PolicySourceOptions } from './policy-source.js';
export { hashToken } from './token-entries.js';
export { readWebhookSecrets, type ReadyWebhook } from './webhook-secrets.js';
