export const incidents = {
  title: 'Incidents',
} as const;
