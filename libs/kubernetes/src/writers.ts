import { JOBWARDEN_WRITER, type Writer } from '#libs/domain';
import { millis, type ManagedFields } from './objects.js';

/**
 * Who wrote a part of the wish last: of the field managers that own anything below it the one with the newest time. Times are whole seconds, so of two in
 * one second the other one counts and not ourselves: we know of our own writes anyway.
 */
export function writerOf(managed: readonly ManagedFields[], part: 'template' | 'replicas'): Writer | null {
  const owners = managed.filter((entry) => owns(entry.fieldsV1, part)).map(({ manager, time }) => ({ manager: manager ?? 'unknown', atMs: millis(time) }));
  return owners.reduce<Writer | null>((last, next) => (last === null || isLater(next, last) ? next : last), null);
}

function owns(fields: unknown, part: string): boolean {
  const spec = field(fields, 'f:spec');
  return field(spec, `f:${part}`) !== undefined;
}

function field(fields: unknown, key: string): unknown {
  return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>)[key] : undefined;
}

function isLater(a: Writer, b: Writer): boolean {
  const [left, right] = [a.atMs ?? 0, b.atMs ?? 0];
  return left === right ? b.manager === JOBWARDEN_WRITER : left > right;
}
