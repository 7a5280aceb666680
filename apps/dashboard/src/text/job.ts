export const job = {
  title: 'Job',
} as const;
