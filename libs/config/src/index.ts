export type { Fault, Result } from './fault.js';
export { formatFault, formatFaults } from './fault.js';
export { Secret } from './secret.js';
export type { Environment, LogLevel, Role } from './environment-types.js';
export { LOG_LEVELS, ROLES } from './environment-types.js';
export type {
  IntakeLimits,
  NamespaceScope,
  Origin,
  PolicyEntry,
  PolicyFile,
  PolicyLayer,
  PolicyScope,
  QueueScope,
  RedactionPath,
  RedactionRule,
  ResolvedPolicy,
  SecretRef,
  TokenEntry,
  TokenScope,
  WebhookEvent,
  WebhookTarget,
} from './policy-types.js';
export { POLICY_LAYERS, TOKEN_SCOPES, WEBHOOK_EVENTS } from './policy-types.js';
