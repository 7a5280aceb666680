export const incident = {
  title: 'Incident',
} as const;
