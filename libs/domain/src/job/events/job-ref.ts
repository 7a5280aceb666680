/** A job is one run of one thing: `(namespace, queue, id)`. A redelivery is another attempt, not another job. */
export interface JobRef {
  readonly namespace: string;
  readonly queue: string;
  readonly id: string;
}

/** The namespace of events and calls that name none. */
export const DEFAULT_NAMESPACE = 'default';
