import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev:dashboard` shows. */
const service = process.env['JOBWARDEN_URL'] ?? 'http://127.0.0.1:7411';

/** To the service it is a program's request: a page of another port would be refused. */
const toService = {
  target: service,
  changeOrigin: true,
  configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The service puts a nonce of each answer in its place: the component kit adds style elements at run time.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../../dist/apps/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { port: 7412, strictPort: true, proxy: { '/v1': toService } },
});
