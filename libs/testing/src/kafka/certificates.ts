// An authority of its own for one cluster, with a certificate for the server and one for a client. All in PEM, which
// both Kafka and Node read.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificates {
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** PEM of a client that the server trusts; its name is `CN=client`. */
  readonly clientCert: string;
  readonly clientKey: string;
  readonly caFile: string;
  /** Key and chain of the server, in one file as Kafka wants them. */
  readonly serverFile: string;
}

export async function makeCertificates(folder: string): Promise<Certificates> {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  // The machine's own defaults would add extensions a second time.
  writeFileSync(file('request.conf'), '[req]\ndistinguished_name = name\n[name]\n');
  await make(file('ca'), ['-subj', '/CN=Test authority', '-addext', 'basicConstraints=critical,CA:TRUE']);
  const signed = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-addext', 'basicConstraints=critical,CA:FALSE'];
  await make(file('server'), ['-subj', '/CN=server', ...signed, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']);
  await make(file('client'), ['-subj', '/CN=client', ...signed]);
  writeFileSync(file('server.pem'), `${read('server.key')}${read('server.crt')}${read('ca.crt')}`);
  return {
    ca: read('ca.crt'),
    clientCert: read('client.crt'),
    clientKey: read('client.key'),
    caFile: file('ca.crt'),
    serverFile: file('server.pem'),
  };
}

async function make(name: string, args: readonly string[]): Promise<void> {
  const config = join(dirname(name), 'request.conf');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`];
  await run('openssl', ['req', '-x509', '-config', config, ...key, '-out', `${name}.crt`, '-days', '2', ...args]);
}
