/**
 * A queue by its path, and by `?queue=`: clients resolve `.` and `..` in a path before they send it, and some undo `%2F`, so there
 * are names that no path carries. Not below `v1/queues`, where any word is the name of a queue.
 */
export const QUEUE_PATHS = ['v1/queues/:queue', 'v1/queue'];

export const QUEUE_PARAMS = { queue: 'Name of the queue.' } as const;
