// Two workers at one job: the first one stalls, the second one takes over, and the first one comes back.
import { checkFence, createMemoryFence, fencingHeaders } from '@jobwarden/fences';
import { once } from 'node:events';
import { createServer } from 'node:http';

// A service that the job writes to. It is fenced by a map; with a database use `postgresFenceHolds` in the transaction that writes.
const fence = createMemoryFence();
const invoices = new Map();
const service = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const refusal = await checkFence(request.headers, (token) => fence.holds(request.url, token));
  if (refusal) return response.writeHead(refusal.status, refusal.headers).end(refusal.body);
  invoices.set(request.url, body);
  response.writeHead(204).end();
});
await once(service.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${service.address().port}/invoices/7`;

const write = (token, body) => fetch(url, { method: 'PUT', body, headers: fencingHeaders(token) });

// In a job: write(job.token, …).
const second = await write(8, 'by the worker with token 8');
const first = await write(7, 'by the worker with token 7, back from a long pause');
const { code, detail } = await first.json();

console.log(`token 8: ${second.status}, token 7: ${first.status} ${code}`);
console.log(detail);
console.log(`the invoice is ${invoices.get('/invoices/7')}`);
service.close();
