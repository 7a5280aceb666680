export const stuck = {
  title: 'Stuck and shadow report',
} as const;
