export const overview = {
  title: 'Overview',
  lead: (queues: string) => `${queues} queues`,
  queues: {
    title: 'Queues',
    filter: 'Filter by name',
    none: 'No queue yet',
    noneText: 'A queue appears here as soon as an event names it. See the first example of the README.',
    columns: {
      queue: 'Queue',
      depth: 'Waiting',
      running: 'Running',
      stuck: 'Stuck',
      failures: 'Failed',
      p95: 'p95 run time',
      level: 'Level',
    },
  },
} as const;
