import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-router/dom';
import { createQueryClient } from '../api/query-client';
import { createRouter } from '../routes/routes';
import { Session } from './Session';
import { styleNonce } from './style-nonce';
import { theme } from './theme';

export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(() => createRouter(client));
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={client}>
        <Session>
          <RouterProvider router={router} />
        </Session>
      </QueryClientProvider>
    </MantineProvider>
  );
}
