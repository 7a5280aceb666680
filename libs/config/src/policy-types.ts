import type { Limits, RedactionRule } from '#libs/contracts';
import type { PolicySources, QueuePolicy } from '#libs/domain';
import type { Secret } from './secret.js';

/** What a policy is asked for. `kind` is the job's, where it has one. */
export interface PolicyScope {
  readonly namespace: string;
  readonly queue: string;
  readonly kind?: string;
}

/** The layers of the file, weakest first; the strongest that names a setting gives its value. */
export const POLICY_LAYERS = ['default', 'defaults', 'namespace', 'queue', 'kind'] as const;
export type PolicyLayer = (typeof POLICY_LAYERS)[number];

/** Where a value was written. `default` is built in and has no line. */
export interface Origin {
  readonly layer: PolicyLayer;
  /** `defaults`, `queues.emails`, `namespaces.acme.queues.emails.kinds.monthly`; empty when built in. */
  readonly at: string;
  readonly line?: number;
}

export interface ResolvedPolicy {
  readonly policy: QueuePolicy;
  /** The same origins in the words that the domain's thresholds are explained with. */
  readonly sources: PolicySources;
  /** By setting, as written in the file: `lease`, `actions.retry`, `backoff.max`. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Limits of what comes in, as the contract has them, and of what is made of it. */
export interface IntakeLimits extends Limits {
  /** Distinct queue names that keep a metric label of their own; the rest share `other`. */
  readonly queueLabels: number;
}

export const WEBHOOK_EVENTS = ['commands', 'incidents', 'stuck'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** `standard`: CloudEvents, signed. The others are one page for each incident, in the words of a pager or a chat. */
export const WEBHOOK_FORMATS = ['standard', 'pagerduty', 'slack'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Where a webhook's signing secret is. */
export type SecretRef =
  | { readonly from: 'file-itself'; readonly value: Secret }
  | { readonly from: 'env'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

export interface WebhookTarget {
  readonly format: WebhookFormat;
  /** null: the address is the secret, as with Slack. */
  readonly url: string | null;
  /** Signs, or is the key or the address itself. */
  readonly secret: SecretRef;
  readonly events: readonly WebhookEvent[];
  /** null = every queue. */
  readonly queues: readonly string[] | null;
  readonly line: number;
}

export const TOKEN_SCOPES = ['emit', 'read', 'operate', 'admin'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

export interface TokenEntry {
  readonly name: string;
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string;
  readonly scopes: readonly TokenScope[];
  /** `*` in the file: every namespace. */
  readonly namespaces: readonly string[] | 'all';
}

/** An operator's commands for worker pools that are no Deployments, `command:NAME` as a target. */
export interface OrchestratorEntry {
  /** Program and arguments each. */
  readonly observe: readonly string[];
  readonly apply: readonly string[];
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the service's variables that are handed on. */
  readonly envFrom: readonly string[];
}

/** One place of the file that sets policy, resolved: what `GET /v1/policies` lists. */
export interface PolicyEntry {
  /** null = the defaults, of every namespace that has none of its own. */
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly kind: string | null;
  readonly resolved: ResolvedPolicy;
}

export interface QueueScope {
  readonly resolved: ResolvedPolicy;
  readonly kinds: ReadonlyMap<string, ResolvedPolicy>;
}

export interface NamespaceScope {
  readonly resolved: ResolvedPolicy;
  readonly queues: ReadonlyMap<string, QueueScope>;
}

/** The policy file, checked as a whole and resolved. Immutable. */
export interface PolicyFile {
  readonly fileName: string;
  /** Hash of what it means: a changed comment, order or layout keeps it. */
  readonly version: string;
  /** Of namespaces that the file does not name. */
  readonly defaults: ResolvedPolicy;
  readonly namespaces: ReadonlyMap<string, NamespaceScope>;
  /** Of the whole installation. */
  readonly budget: { readonly perSecond: number; readonly burst: number };
  readonly limits: IntakeLimits;
  readonly redaction: readonly RedactionRule[];
  readonly webhooks: readonly WebhookTarget[];
  readonly tokens: readonly TokenEntry[];
  /** By name. */
  readonly orchestrators: ReadonlyMap<string, OrchestratorEntry>;
  /** `url`: where a trace is looked at, with `{traceId}` in it; null: nowhere that is known. */
  readonly traces: { readonly url: string | null };
}
