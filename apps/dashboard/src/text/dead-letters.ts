export const deadLetters = {
  title: 'Dead letters',
} as const;
