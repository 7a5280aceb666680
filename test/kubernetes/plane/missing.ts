// The control plane of the tests is built by Go and stores in etcd, which npm cannot bring. A developer without them can still run all other tests and is
// told what was left out; a continuous build may leave nothing out.
import { spawnSync } from 'node:child_process';

/** That go.mod asks for; Debian 12's own is 1.19. */
const OLDEST_GO = 24;

let answer: string | null | undefined;

/** One line that says why no control plane can be started here and what to install; null when one can. */
export function kubernetesMissing(): string | null {
  return (answer ??= look());
}

function look(): string | null {
  const go = goMinor();
  if (go === null) return leftOut(`Go 1.${String(OLDEST_GO)} or later is missing`, 'https://go.dev/dl');
  if (go < OLDEST_GO) return leftOut(`Go 1.${String(OLDEST_GO)} or later is missing (found 1.${String(go)})`, 'https://go.dev/dl');
  if (spawnSync('etcd', ['--version'], { stdio: 'ignore' }).status !== 0) return leftOut('etcd is missing', 'Debian: apt-get install etcd-server');
  const openssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
  return openssl ? null : leftOut('OpenSSL is missing', 'Debian: apt-get install openssl');
}

const leftOut = (reason: string, cure: string) => `The tests with Kubernetes are left out: ${reason}. ${cure}`;

function goMinor(): number | null {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const found = /go1\.(\d+)/.exec(stdout);
  return status === 0 && found !== null ? Number(found[1]) : null;
}
