import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** Petrol: far enough from the colours that say how something stands. */
const petrol: MantineColorsTuple = ['#e6f7f9', '#d3ecef', '#a6d8de', '#76c3cd', '#50b1be', '#38a6b5', '#2a9fb0', '#188a9a', '#067b8a', '#006b79'];

export const theme = createTheme({
  colors: { petrol },
  primaryColor: 'petrol',
  primaryShade: { light: 9, dark: 8 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

