/**
 * The namespace of drills, and the only queue in it. Whatever happens here is an exercise: by the name alone, so that neither
 * a policy nor an alert's labels can turn a drill into something that acts.
 */
export const DRILL_NAMESPACE = 'jobwarden-drill';
export const DRILL_QUEUE = 'jobwarden-drill';

/** How everything begins that a person may read of a drill: a page must be seen to be one before it is understood. */
export const DRILL_MARK = 'DRILL';

export function isDrill({ namespace }: { readonly namespace: string | null }): boolean {
  return namespace === DRILL_NAMESPACE;
}
