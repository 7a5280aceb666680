// `npm run build:kubernetes`: builds the programs of the control plane where they are missing, as the first test with them would.
import { kubernetesMissing } from './missing.js';
import { controlPlanePrograms } from './programs.js';

const missing = kubernetesMissing();
if (missing === null) {
  const { apiserver } = await controlPlanePrograms({ tell: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${apiserver} is there\n`);
} else {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 1;
}
