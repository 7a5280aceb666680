import type { SignalRefusal } from '#libs/domain';
import { signalKeyHex } from '../keys.js';
import { parseRfc3339 } from './rfc3339.js';

/** Version of the payload that Alertmanager's webhooks have sent since 0.13. */
export const ALERTS_VERSION = '4';
/** The value of the label `action` by which an alert asks for what a rollback is for; every other alert is none of ours. */
export const TRIGGER_ACTION = 'trigger-rollback';
/** Prometheus and Kubernetes write `namespace` themselves, and mean another one. */
export const NAMESPACE_LABEL = 'jobwarden_namespace';
/** With the value `true`: an exercise, which finds no queue but the one of drills. */
export const DRILL_LABEL = 'drill';

/** Annotations that are kept as figures, where they are numbers. */
const FIGURES = ['ratio', 'unprocessed', 'processed'] as const;
const MAX_NAME = 1_024;
const MAX_FINGERPRINT = 128;

/** One alert of a payload. */
export interface ReadAlert {
  /** 16 bytes as hex: the same of the same alert, whoever sends it and how often. */
  readonly identity: string;
  readonly fingerprint: string;
  /** null: it could not be read. */
  readonly startsMs: number | null;
  readonly firing: boolean;
  /** It asks for nothing of us: counted, and not kept. */
  readonly ignored: boolean;
  readonly queue: string | null;
  /** As the label says; null: it does not. */
  readonly namespace: string | null;
  readonly drill: boolean;
  readonly figures: Readonly<Record<string, number>>;
  /** null: nothing is wrong with it as such. */
  readonly refused: { readonly why: SignalRefusal; readonly detail: string } | null;
}

export type ReadAlerts =
  | { readonly kind: 'alerts'; readonly alerts: readonly ReadAlert[]; /** How many Alertmanager left out of it. */ readonly truncated: number }
  | { readonly kind: 'refused'; readonly why: SignalRefusal; readonly detail: string; readonly identity: string };

type Json = Readonly<Record<string, unknown>>;

/** Whatever was sent: what can be read of it is, and every alert that cannot says why. */
export function readAlerts(payload: unknown): ReadAlerts {
  const version = isMap(payload) ? payload['version'] : undefined;
  const alerts = isMap(payload) ? payload['alerts'] : undefined;
  if (!Array.isArray(alerts)) return refused('payload_invalid', 'The payload has no list of alerts.', payload);
  if (version !== ALERTS_VERSION) {
    return refused('version_unknown', `The payload is of version ${shown(version)}; known here is "${ALERTS_VERSION}".`, payload);
  }
  const truncated = (payload as Json)['truncatedAlerts'];
  return { kind: 'alerts', alerts: alerts.map(readAlert), truncated: typeof truncated === 'number' && truncated > 0 ? truncated : 0 };
}

function refused(why: SignalRefusal, detail: string, payload: unknown): ReadAlerts {
  return { kind: 'refused', why, detail, identity: signalKeyHex('alertmanager', why, JSON.stringify(payload)) };
}

function readAlert(alert: unknown): ReadAlert {
  if (!isMap(alert) || !isMap(alert['labels'])) return unreadable(alert, 'An alert has no labels.');
  const { labels, annotations } = alert;
  const status = alert['status'];
  const fingerprint = text(alert['fingerprint'], MAX_FINGERPRINT) ?? labelsText(labels);
  if (status !== 'firing' && status !== 'resolved') return unreadable(alert, `An alert's status is ${shown(status)}, neither firing nor resolved.`);
  const written = alert['startsAt'];
  const startsMs = timeOf(written);
  const queue = text(labels['queue'], MAX_NAME);
  return {
    identity: signalKeyHex('alertmanager', fingerprint, String(startsMs ?? JSON.stringify(written))),
    ...{ fingerprint, startsMs, queue },
    firing: status === 'firing',
    ignored: labels['action'] !== TRIGGER_ACTION,
    namespace: text(labels[NAMESPACE_LABEL], MAX_NAME),
    drill: labels[DRILL_LABEL] === 'true',
    figures: figuresOf(annotations),
    refused: faultOf(queue, startsMs, written),
  };
}

function faultOf(queue: string | null, startsMs: number | null, written: unknown): ReadAlert['refused'] {
  if (queue === null) return { why: 'no_queue', detail: 'It has no label `queue`.' };
  if (startsMs === null) return { why: 'time_invalid', detail: `Its startsAt is ${shown(written)}.` };
  return null;
}

/** What cannot be told to ask for nothing is taken to ask: it is kept, where somebody sees it. */
function unreadable(alert: unknown, detail: string): ReadAlert {
  const identity = signalKeyHex('alertmanager', 'alert_invalid', JSON.stringify(alert));
  return {
    ...{ identity, fingerprint: identity.slice(0, 16), startsMs: null, firing: true, ignored: false, queue: null, namespace: null, drill: false },
    ...{ figures: {}, refused: { why: 'alert_invalid', detail } },
  };
}

/** Neither the zero time of Go nor anything else that no alert of this century begins at. */
function timeOf(written: unknown): number | null {
  const ms = typeof written === 'string' ? parseRfc3339(written) : undefined;
  return ms === undefined || ms < Date.UTC(2000, 0) || ms >= Date.UTC(2100, 0) ? null : Math.trunc(ms);
}

function figuresOf(annotations: unknown): Readonly<Record<string, number>> {
  if (!isMap(annotations)) return {};
  const found = FIGURES.map((name) => [name, Number.parseFloat(text(annotations[name], MAX_FINGERPRINT) ?? '')] as const);
  return Object.fromEntries(found.filter(([, value]) => Number.isFinite(value)));
}

function labelsText(labels: Json): string {
  return signalKeyHex('labels', '', JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);
}

/** null: not there, or no text. A NUL could not be stored. */
function text(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value.replaceAll('\0', '\uFFFD').slice(0, most).toWellFormed();
}

function shown(value: unknown): string {
  return (value === undefined ? 'missing' : JSON.stringify(value)).replaceAll('\0', '\uFFFD').slice(0, 100).toWellFormed();
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
